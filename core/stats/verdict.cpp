// The rules that turn an interval into a verdict; the first that applies decides.
#include <tlsrig/stats/verdict.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tlsrig::stats {
namespace {

// An interval of log ratios, turned so that more is better.
struct Gain {
  double low, high;
  double half_width() const { return (high - low) / 2; }
  double centre() const { return (high + low) / 2; }
};

void require_ratio(const Interval& interval, const char* what) {
  if (!(interval.low > 0) || !(interval.high >= interval.low) || !std::isfinite(interval.high)) {
    throw std::invalid_argument(std::string(what) + " needs 0 < low <= high, found " + std::to_string(interval.low) +
                                " and " + std::to_string(interval.high));
  }
}

Finding find(const Gain& gain, double log_equivalence, double log_limit) {
  if (gain.low > log_limit) return Finding::better;
  if (gain.high < -log_limit) return Finding::worse;
  if (gain.low >= -log_equivalence && gain.high <= log_equivalence) return Finding::equivalent;
  if (gain.low > 0) return Finding::likely_better;
  if (gain.high < 0) return Finding::likely_worse;
  return Finding::inconclusive;
}

std::string_view words_for(Finding finding, const Basis& basis) {
  const bool size = basis.quantity == Quantity::size;
  switch (finding) {
    case Finding::better:
      return size ? "smaller" : "faster";
    case Finding::worse:
      return size ? "larger" : "slower";
    case Finding::equivalent:
      return "equivalent";
    case Finding::likely_better:
      return size ? "likely smaller" : "likely faster";
    case Finding::likely_worse:
      return size ? "likely larger" : "likely slower";
    case Finding::inconclusive:
      break;
  }
  return "inconclusive";
}

// The interval narrows with the square root of the number of blocks. It is enough that it leaves 1 outside or fits into
// E, whichever comes first; so the answer stays bounded where the true ratio is 1.
std::optional<std::uint64_t> blocks_to_settle(const Gain& gain, double log_equivalence, std::size_t n) {
  const double distance = std::abs(gain.centre());
  const double half_width_needed = std::max(distance, log_equivalence - distance);
  if (half_width_needed <= 0) return std::nullopt;
  const double factor = gain.half_width() / half_width_needed;
  const double blocks = std::ceil(static_cast<double>(n) * factor * factor);
  constexpr double most = 1e15;  // beyond any run; keeps the conversion defined
  return std::max<std::uint64_t>(n + 1, static_cast<std::uint64_t>(std::min(blocks, most)));
}

}  // namespace

double resolution_limit(double equivalence, const std::optional<Interval>& self_check) {
  if (!(equivalence >= 0) || !std::isfinite(equivalence)) {
    throw std::invalid_argument("an equivalence needs to be 0 or more, found " + std::to_string(equivalence));
  }
  if (!self_check) return equivalence;
  require_ratio(*self_check, "a self-check");
  return std::max({equivalence, self_check->high - 1, 1 / self_check->low - 1});
}

std::optional<Verdict> judge(const Estimate& ratio, const Basis& basis) {
  if (basis.quantity == Quantity::size && basis.better != Better::lower)
    throw std::invalid_argument("a size is judged where less of it is better");
  const double limit = resolution_limit(basis.equivalence, basis.self_check);
  if (!ratio.interval) return std::nullopt;
  require_ratio(*ratio.interval, "a ratio's interval");
  const double low = std::log(ratio.interval->low), high = std::log(ratio.interval->high);
  const Gain gain = basis.better == Better::higher ? Gain{low, high} : Gain{-high, -low};
  const double log_equivalence = std::log1p(basis.equivalence);

  Verdict verdict;
  verdict.finding = find(gain, log_equivalence, std::log1p(limit));
  verdict.words = words_for(verdict.finding, basis);
  verdict.limit = limit;
  if (verdict.finding == Finding::inconclusive) {
    verdict.blocks_needed = blocks_to_settle(gain, log_equivalence, ratio.n);
  }
  return verdict;
}

}  // namespace tlsrig::stats
