// A logarithmic axis: where a value lies, and which values are marked.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tlsrig::report::html {

class LogAxis {
 public:
  // Values from low to high (both positive, low < high) over the units from `begin` to `end`; `begin` may be the larger
  // one, as on axes that grow upwards.
  LogAxis(double low, double high, double begin, double end);

  double low() const { return low_; }
  double high() const { return high_; }

  // Values outside lie on the nearer end.
  double at(double value) const;
  bool holds(double value) const { return value >= low_ && value <= high_; }

  // Round values of the range that are at most `most`, in order: 1, 2 and 5 of each decade where there is room, or
  // steps of a finer unit where the range is narrow. Those nearer than `apart` units to the one before are left out,
  // except that 1 takes the place of its neighbour.
  std::vector<double> marks(std::size_t most, double apart = 0) const;

 private:
  std::vector<double> round_values(std::size_t most) const;

  double low_, high_, begin_, end_;
};

// The smallest and the largest of positive values with a margin on both sides, as a share of the range; never less than
// `narrowest` as a factor between the two. Empty when there is no positive value.
struct Range {
  double low = 1, high = 1;
};
std::optional<Range> range_of(const std::vector<double>& values, double margin, double narrowest);

// A mark's value beside its axis: "0.8", "20", "10000".
std::string mark_text(double value);

}  // namespace tlsrig::report::html
