// How far a tail of a null distribution reaches: shared by the rank tests of this box.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace tlsrig::stats {

// How many of the statistic's values 0, 1, 2, ... have a summed probability of at most `tail_allowed`, from the
// probabilities of its lower half.
inline std::uint64_t values_in_tail(std::span<const double> probabilities, double tail_allowed) {
  double tail = 0;
  for (std::uint64_t value = 0; value < probabilities.size(); ++value) {
    tail += probabilities[value];
    if (tail > tail_allowed) return value;
  }
  return probabilities.size();
}

// The same from the normal distribution, with a continuity correction.
inline std::uint64_t values_in_normal_tail(double mean, double deviation, double tail_allowed) {
  std::uint64_t low = 0, high = static_cast<std::uint64_t>(mean) + 1;
  while (low < high) {
    const std::uint64_t value = low + (high - low) / 2;
    const double z = (static_cast<double>(value) + 0.5 - mean) / deviation;
    if (std::erfc(-z / std::sqrt(2.0)) / 2 > tail_allowed) {
      high = value;
    } else {
      low = value + 1;
    }
  }
  return low;
}

}  // namespace tlsrig::stats
