// The median and the sign-test interval around it.
#include <tlsrig/stats/median.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tlsrig::stats {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("a median needs at least one value, found none");
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (!std::isfinite(values[index])) {
      throw std::invalid_argument("a median needs finite values, found " + std::to_string(values[index]) +
                                  " at index " + std::to_string(index));
    }
  }
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double middle(const std::vector<double>& ascending) {
  const std::size_t half = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[half] : std::midpoint(ascending[half - 1], ascending[half]);
}

}  // namespace

double median(std::span<const double> values) { return middle(sorted(values)); }

double median_absolute_deviation(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - centre));
  return median(distances);
}

std::optional<std::size_t> sign_test_rank(std::size_t n, double level) {
  if (n < fewest_for_interval) return std::nullopt;
  const double tail_allowed = (1 - level) / 2;
  // The number of values below the median is binomial(n, 1/2). Logarithms, so that 2^-n does not underflow.
  double log_probability = -static_cast<double>(n) * std::log(2.0);
  double tail = 0;
  for (std::size_t below = 0; 2 * below < n; ++below) {
    tail += std::exp(log_probability);
    if (tail > tail_allowed) return below == 0 ? std::nullopt : std::optional(below);
    log_probability += std::log(static_cast<double>(n - below)) - std::log(static_cast<double>(below + 1));
  }
  return (n + 1) / 2;  // a level so low that the middle alone will do
}

Estimate median_estimate(std::span<const double> values, double level) {
  const std::vector<double> ascending = sorted(values);
  Estimate result{middle(ascending), std::nullopt, ascending.size()};
  if (const auto rank = sign_test_rank(ascending.size(), level)) {
    result.interval = Interval{ascending[*rank - 1], ascending[ascending.size() - *rank]};
  }
  return result;
}

}  // namespace tlsrig::stats
