// Rank-sum statistics of two samples.
#include <tlsrig/stats/shift.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/stats/order_statistics.hpp>
#include <tlsrig/stats/tail.hpp>

namespace tlsrig::stats {
namespace {

// The lower half of the null distribution of U, the pairs in which the first sample's value is the larger. Of i values
// of the first and j of the second, the largest of all is the first's with probability i / (i + j) and then wins j
// pairs. Every term is a probability, so nothing overflows as the counts would.
std::vector<double> null_distribution(std::size_t n, std::size_t m) {
  const std::size_t half = n * m / 2;
  std::vector<std::vector<double>> rows(n + 1, std::vector<double>(half + 1, 0.0));  // of i values and the current j
  for (auto& row : rows) row[0] = 1;                                                 // j = 0: no pairs
  for (std::size_t j = 1; j <= m; ++j) {
    for (std::size_t i = 1; i <= n; ++i) {
      const double of_first = static_cast<double>(i) / static_cast<double>(i + j);
      for (std::size_t u = half + 1; u-- > 0;) {
        const double won = u >= j ? rows[i - 1][u - j] : 0.0;
        rows[i][u] = of_first * won + (1 - of_first) * rows[i][u];
      }
    }
  }
  return std::move(rows[n]);
}

std::uint64_t approximate_count(std::size_t n, std::size_t m, double tail_allowed) {
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  return values_in_normal_tail(pairs / 2, std::sqrt(pairs * static_cast<double>(n + m + 1) / 12), tail_allowed);
}

void require_sample(std::span<const double> values, const char* which) {
  if (values.empty())
    throw std::invalid_argument(std::string("a shift needs values of both samples, found none of the ") + which);
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (std::isfinite(values[index])) continue;
    throw std::invalid_argument("a shift needs finite values, found " + std::to_string(values[index]) + " at index " +
                                std::to_string(index) + " of the " + which);
  }
}

}  // namespace

std::optional<std::uint64_t> rank_sum_k(std::size_t n, std::size_t m, double level) {
  if (n < fewest_for_interval || m < fewest_for_interval) return std::nullopt;
  const double tail_allowed = (1 - level) / 2;
  const bool exact = n <= rank_sum_exact_up_to && m <= rank_sum_exact_up_to;
  const std::uint64_t values =
      exact ? values_in_tail(null_distribution(n, m), tail_allowed) : approximate_count(n, m, tail_allowed);
  return values == 0 ? std::nullopt : std::optional(values - 1);
}

Estimate shift(std::span<const double> old_values, std::span<const double> new_values, double level) {
  require_sample(old_values, "old");
  require_sample(new_values, "new");
  std::vector<double> differences;
  differences.reserve(old_values.size() * new_values.size());
  for (const double after : new_values)
    for (const double before : old_values) differences.push_back(after - before);
  return middle_and_ends(std::move(differences), rank_sum_k(old_values.size(), new_values.size(), level),
                         old_values.size() + new_values.size());
}

}  // namespace tlsrig::stats
