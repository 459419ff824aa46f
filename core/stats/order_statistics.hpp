// The few order statistics that a rank test's estimate and interval need, without sorting all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::stats {

// The median of the values and, with a k, the interval that leaves out the k smallest and the k largest of them. Needs
// at least one value, and 2k below their number. `n` goes into the estimate.
inline Estimate middle_and_ends(std::vector<double> values, std::optional<std::uint64_t> k, std::size_t n) {
  const auto begin = values.begin(), end = values.end();
  const auto at = [&](std::size_t index) { return begin + static_cast<std::ptrdiff_t>(index); };
  const auto middle = at(values.size() / 2);
  std::nth_element(begin, middle, end);
  const double upper = *middle;
  const double lower = values.size() % 2 == 1 ? upper : *std::max_element(begin, middle);
  Estimate result{lower / 2 + upper / 2, std::nullopt, n};
  if (k) {
    const auto first = at(*k), last = at(values.size() - 1 - *k);
    std::nth_element(begin, first, middle);
    std::nth_element(middle, last, end);
    result.interval = Interval{*first, *last};
  }
  return result;
}

}  // namespace tlsrig::stats
