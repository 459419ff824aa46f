// Two arms compared by what they did in the same blocks: the Hodges-Lehmann estimate of their ratio and the exact
// Wilcoxon signed-rank interval around it. A mean and its t interval would let one disturbed block decide; a bootstrap
// is too narrow at eight blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::stats {

// The largest K such that a signed-rank sum of n values is K or less with a probability of at most (1 - level) / 2 when
// their centre is 0: the interval leaves out the K smallest and the K largest Walsh averages. Counted exactly up to
// exact_up_to, by the normal approximation beyond. Empty when there is no such K, or n < fewest_for_interval.
std::optional<std::uint64_t> signed_rank_k(std::size_t n, double level);

inline constexpr std::size_t exact_up_to = 300;

// The median of the Walsh averages of the values, and its interval. Throws std::invalid_argument when there is no value
// or one is not finite. Takes n^2 / 2 doubles of memory.
Estimate walsh_estimate(std::span<const double> values, double level = usual_level);

// arm / baseline, from the values of the same blocks. Throws std::invalid_argument when the two differ in number, are
// none, or one is not a positive finite number: a block without a value is left out of both by the caller.
Estimate paired_ratio(std::span<const double> arm, std::span<const double> baseline, double level = usual_level);

// How far the ends of a ratio's interval are from its middle, as a fraction of it: 0.01 is "known within 1 %".
double precision(const Interval& ratio);

}  // namespace tlsrig::stats
