// From a ratio's interval to words.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::stats {

enum class Better { higher, lower };

// What a metric is an amount of: it picks the words. Rates and times are speeds; bytes held or sent are sizes.
enum class Quantity { speed, size };

enum class Finding { better, worse, equivalent, likely_better, likely_worse, inconclusive };

struct Verdict {
  Finding finding = Finding::inconclusive;
  // "faster" | "slower" | "equivalent" | "likely faster" | "likely slower" | "inconclusive"; "smaller" | "larger" for a
  // size. A static string.
  std::string_view words;
  // D: what a difference had to exceed, as a fraction: 0.02 stands for the ratios from 1/1.02 to 1.02.
  double limit = 0;
  // Inconclusive only: about how many blocks in all would bring another word. Empty when no number would (no room for
  // equivalence and an estimate of exactly 1).
  std::optional<std::uint64_t> blocks_needed;
};

struct Basis {
  Better better = Better::higher;
  Quantity quantity = Quantity::speed;
  double equivalence = 0.02;           // E: differences up to this fraction do not matter
  std::optional<Interval> self_check;  // the ratio of the baseline's twin to the baseline; empty: no twin ran
};

// D = max(E, the farther end of the self-check's interval), both taken as factors: 1.02 and 1/1.02 are equally far
// from 1.
double resolution_limit(double equivalence, const std::optional<Interval>& self_check);

// Empty when the ratio has no interval. Throws std::invalid_argument when an end is not positive or E is negative,
// and for a size of which more is better: "smaller" is good wherever it stands.
std::optional<Verdict> judge(const Estimate& ratio, const Basis& basis);

}  // namespace tlsrig::stats
