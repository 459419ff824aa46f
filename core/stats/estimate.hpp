// An estimate and the interval around it: what every procedure of this box gives.
#pragma once

#include <cstddef>
#include <optional>

namespace tlsrig::stats {

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  // empty: too few values for the level asked
  std::size_t n = 0;                 // values it rests on
};

// Fewer values than this give no interval at any level.
inline constexpr std::size_t fewest_for_interval = 6;

inline constexpr double usual_level = 0.95;

}  // namespace tlsrig::stats
