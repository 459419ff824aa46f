// Signed-rank statistics of paired log ratios.
#include <tlsrig/stats/paired.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/stats/order_statistics.hpp>
#include <tlsrig/stats/tail.hpp>

namespace tlsrig::stats {
namespace {

// The null distribution of the signed-rank sum W: each of the ranks 1..n is in the sum with probability 1/2. Adding one
// rank at a time keeps every term a probability, so nothing overflows. The lower half is enough.
std::vector<double> null_distribution(std::size_t n) {
  const std::size_t half = n * (n + 1) / 4;
  std::vector<double> probability(half + 1, 0.0);
  probability[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = half + 1; sum-- > 0;) {
      const double with_rank = sum >= rank ? probability[sum - rank] : 0.0;
      probability[sum] = (probability[sum] + with_rank) / 2;
    }
  }
  return probability;
}

std::uint64_t approximate_count(std::size_t n, double tail_allowed) {
  const double size = static_cast<double>(n);
  const double mean = size * (size + 1) / 4;
  return values_in_normal_tail(mean, std::sqrt(size * (size + 1) * (2 * size + 1) / 24), tail_allowed);
}

}  // namespace

std::optional<std::uint64_t> signed_rank_k(std::size_t n, double level) {
  if (n < fewest_for_interval) return std::nullopt;
  const double tail_allowed = (1 - level) / 2;
  // How many of the sums 0, 1, 2, ... the tail has room for.
  const std::uint64_t sums =
      n <= exact_up_to ? values_in_tail(null_distribution(n), tail_allowed) : approximate_count(n, tail_allowed);
  return sums == 0 ? std::nullopt : std::optional(sums - 1);
}

Estimate walsh_estimate(std::span<const double> values, double level) {
  const std::size_t n = values.size();
  if (n == 0) throw std::invalid_argument("a signed-rank estimate needs at least one value, found none");
  std::vector<double> averages;
  averages.reserve(n * (n + 1) / 2);
  for (std::size_t first = 0; first < n; ++first) {
    if (!std::isfinite(values[first])) {
      throw std::invalid_argument("a signed-rank estimate needs finite values, found " + std::to_string(values[first]) +
                                  " at index " + std::to_string(first));
    }
    for (std::size_t second = first; second < n; ++second) {
      averages.push_back(values[first] / 2 + values[second] / 2);
    }
  }
  return middle_and_ends(std::move(averages), signed_rank_k(n, level), n);
}

Estimate paired_ratio(std::span<const double> arm, std::span<const double> baseline, double level) {
  if (arm.size() != baseline.size()) {
    throw std::invalid_argument("paired values are needed, found " + std::to_string(arm.size()) + " of the arm and " +
                                std::to_string(baseline.size()) + " of the baseline");
  }
  std::vector<double> logarithms;
  logarithms.reserve(arm.size());
  for (std::size_t block = 0; block < arm.size(); ++block) {
    for (const double value : {arm[block], baseline[block]}) {
      if (!(value > 0) || !std::isfinite(value)) {
        throw std::invalid_argument("a ratio needs positive finite values, found " + std::to_string(value) +
                                    " in block " + std::to_string(block));
      }
    }
    logarithms.push_back(std::log(arm[block]) - std::log(baseline[block]));
  }
  const Estimate log_ratio = walsh_estimate(logarithms, level);
  Estimate result{std::exp(log_ratio.value), std::nullopt, log_ratio.n};
  if (log_ratio.interval) {
    result.interval = Interval{std::exp(log_ratio.interval->low), std::exp(log_ratio.interval->high)};
  }
  return result;
}

double precision(const Interval& ratio) { return std::sqrt(ratio.high / ratio.low) - 1; }

}  // namespace tlsrig::stats
