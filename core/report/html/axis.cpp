// Logarithmic axes.
#include <tlsrig/report/html/axis.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tlsrig::report::html {
namespace {

// 1, 2, 5 x 10^k; or 1 x 10^k alone.
std::vector<double> decade_marks(double low, double high, const std::vector<double>& steps) {
  std::vector<double> marks;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power) {
    for (const double step : steps) {
      const double value = step * std::pow(10.0, power);
      if (value >= low && value <= high) marks.push_back(value);
    }
  }
  return marks;
}

std::vector<double> even_marks(double low, double high, double step) {
  std::vector<double> marks;
  for (double count = std::ceil(low / step); count * step <= high; ++count) marks.push_back(count * step);
  return marks;
}

}  // namespace

LogAxis::LogAxis(double low, double high, double begin, double end)
    : low_(low), high_(high), begin_(begin), end_(end) {}

double LogAxis::at(double value) const {
  const double share = std::log(std::clamp(value, low_, high_) / low_) / std::log(high_ / low_);
  return begin_ + share * (end_ - begin_);
}

std::vector<double> LogAxis::marks(std::size_t most, double apart) const {
  std::vector<double> kept;
  for (const double value : round_values(most)) {
    const bool close = !kept.empty() && std::abs(at(value) - at(kept.back())) < apart;
    if (close && value == 1) kept.pop_back();
    if (!close || value == 1) kept.push_back(value);
  }
  return kept;
}

std::vector<double> LogAxis::round_values(std::size_t most) const {
  constexpr std::size_t too_few = 3;
  for (const std::vector<double>& steps : std::vector<std::vector<double>>{{1, 2, 5}, {1}}) {
    std::vector<double> marks = decade_marks(low_, high_, steps);
    if (marks.size() > most) continue;
    if (marks.size() >= too_few) return marks;
    break;
  }
  // Evenly spaced ones, the finest of 1, 2 and 5 x 10^k that are few enough; across many decades the round powers are
  // still too many, and every so many-th of them is taken.
  if (high_ / low_ > 100) {
    std::vector<double> powers = decade_marks(low_, high_, {1}), kept;
    const std::size_t stride = powers.size() / std::max<std::size_t>(most, 1) + 1;
    for (std::size_t index = 0; index < powers.size(); index += stride) kept.push_back(powers[index]);
    return kept;
  }
  for (double power = std::floor(std::log10(high_ - low_)) - 1;; ++power) {
    for (const double step : {1.0, 2.0, 5.0}) {
      std::vector<double> marks = even_marks(low_, high_, step * std::pow(10.0, power));
      if (marks.size() <= most) return marks;
    }
  }
}

std::optional<Range> range_of(const std::vector<double>& values, double margin, double narrowest) {
  std::optional<Range> range;
  for (const double value : values) {
    if (!(value >= 1e-30 && value <= 1e30)) continue;  // beyond is no measurement, and room for margins is needed
    if (!range) range = Range{value, value};
    range->low = std::min(range->low, value);
    range->high = std::max(range->high, value);
  }
  if (!range) return range;
  const double factor = std::pow(range->high / range->low, margin);
  range->low /= factor;
  range->high *= factor;
  if (range->high / range->low < narrowest) {
    const double middle = std::sqrt(range->low * range->high), half = std::sqrt(narrowest);
    *range = {middle / half, middle * half};
  }
  return range;
}

std::string mark_text(double value) {
  return value >= 1e4 && value < 1e7 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace tlsrig::report::html
