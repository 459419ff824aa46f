// Drawing quantile curves.
#include <tlsrig/report/html/quantile_plot.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/html/axis.hpp>
#include <tlsrig/report/html/svg.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report::html {
namespace {

constexpr double left = 46, right = Svg::width - 10, top = 26, bottom = 176;
constexpr double legend_line = 17;
constexpr double beyond_needed = 10;  // samples, for the slowest quantile that is drawn

using Histogram = std::map<double, std::uint64_t>;  // upper bound in ns: count

// All blocks together. A file may hold anything: what is no pair of a positive bound and a count is passed over.
Histogram merged(const Arm& arm) {
  Histogram histogram;
  for (const Block& block : arm.blocks) {
    if (!block.histogram.is_array()) continue;
    for (const Json& bucket : block.histogram) {
      if (!bucket.is_array() || bucket.size() != 2 || !bucket[0].is_number() || !bucket[1].is_number_unsigned())
        continue;
      if (const double bound = bucket[0].get<double>(); bound > 0) histogram[bound] += bucket[1].get<std::uint64_t>();
    }
  }
  return histogram;
}

struct Point {
  double decades = 0;  // -log10(1 - q)
  double seconds = 0;
};

struct Curve {
  const Arm* arm = nullptr;
  std::size_t look = 0;  // place among the arms of the cell
  std::vector<Point> points;
};

// The curve at 32 places per decade, fewer than a histogram has buckets and more than a plot of this size can show; the
// middle ones of a level stretch say nothing and are left out.
std::vector<Point> points_of(const Histogram& histogram) {
  constexpr double step = 1.0 / 32;
  double all = 0;
  for (const auto& [bound, count] : histogram) all += static_cast<double>(count);
  if (all < 2 * beyond_needed) return {};
  const double last = std::log10(all / beyond_needed);
  std::vector<Point> points;
  auto bucket = histogram.begin();
  auto up_to = static_cast<double>(bucket->second);
  for (double decades = 0;; decades = std::min(decades + step, last)) {
    const double needed = all * (1 - std::pow(10, -decades));
    while (up_to < needed && std::next(bucket) != histogram.end()) up_to += static_cast<double>((++bucket)->second);
    const Point point{decades, bucket->first / 1e9};
    const std::size_t size = points.size();
    const bool level =
        size >= 2 && points[size - 1].seconds == point.seconds && points[size - 2].seconds == point.seconds;
    if (level) points.pop_back();
    points.push_back(point);
    if (decades >= last) return points;
  }
}

std::vector<Curve> curves_of(const Cell& cell) {
  std::vector<Curve> curves;
  for (const Arm* arm : rank(cell).with_numbers()) {
    std::vector<Point> points = points_of(merged(*arm));
    if (points.empty()) continue;
    curves.push_back({arm, static_cast<std::size_t>(arm - cell.arms.data()), std::move(points)});
  }
  return curves;
}

std::string description(const Cell& cell) {
  std::string words;
  for (const Arm* arm : rank(cell).with_numbers()) {
    words += arm->id + ":";
    for (const Metric& metric : arm->metrics) {
      const std::size_t percentile = metric.name.rfind("_p");
      if (metric.name.find("_time_p") == std::string::npos || !metric.value) continue;
      words += fmt::format(" {} {}", metric.name.substr(percentile + 1), format_duration(*metric.value));
    }
    words += ". ";
  }
  return words;
}

// "p90", "p99", "p99.9": the share that all but one of 10^decade do not exceed.
std::string percentile_name(int decade) {
  if (decade < 3) return decade == 1 ? "p90" : "p99";
  return "p99." + std::string(static_cast<std::size_t>(decade - 2), '9');
}

class Quantiles {
 public:
  Quantiles(const Cell& cell, std::vector<Curve> curves, const Range& range, double decades)
      : curves_(std::move(curves)),
        axis_(range.low, range.high, bottom, top),
        decades_(decades),
        svg_("quantiles", "Quantiles of the time per operation", description(cell)) {}

  std::string drawn() {
    value_axis();
    quantile_axis();
    for (const Curve& curve : curves_) svg_.path(look_of(curve), data_of(curve));
    return svg_.finished(legend());
  }

 private:
  static std::string look_of(const Curve& curve) { return fmt::format("curve s{}", curve.look % 8); }

  double x(double decades) const { return left + (right - left) * decades / decades_; }

  std::string data_of(const Curve& curve) const {
    std::string data;
    for (const Point& point : curve.points) {
      data += fmt::format("{}{} {}", data.empty() ? "M" : "L", coordinate(x(point.decades)),
                          coordinate(axis_.at(point.seconds)));
    }
    return data;
  }

  void value_axis() {
    const std::vector<double> marks = axis_.marks(7, 13);
    const Scale scale = scale_for(marks, 3);
    svg_.text("tick", 0, 12, scale.prefix + "s, log scale");
    for (const double value : marks) {
      svg_.line("grid", left, axis_.at(value), right, axis_.at(value));
      svg_.text("tick", left - 6, axis_.at(value) + 4, mark_text(value / scale.unit), Anchor::end);
    }
  }

  void quantile_axis() {
    svg_.line("axis", left, bottom, right, bottom);
    const auto mark = [&](double decades, const std::string& words) {
      svg_.line("grid", x(decades), top, x(decades), bottom + 4);
      const bool at_edge = x(decades) + width_of(words) / 2 > Svg::width;
      svg_.text("tick", at_edge ? Svg::width : x(decades), bottom + 17, words, at_edge ? Anchor::end : Anchor::middle);
    };
    const double room = (right - left) / decades_;  // of one decade
    mark(0, "0");
    if (room > 100) mark(std::log10(2.0), "p50");
    for (int decade = 1; decade <= decades_; ++decade) mark(decade, percentile_name(decade));
    svg_.text("tick", left, bottom + 33, "share of operations that took no longer");
  }

  // Gives where the picture ends.
  double legend() {
    double y = bottom + 37;
    constexpr double sample = 33;  // of a line, and the space behind it
    const bool two_columns = std::all_of(curves_.begin(), curves_.end(), [&](const Curve& curve) {
      return width_of(curve.arm->id, Weight::strong) < Svg::width / 2 - sample;
    });
    for (std::size_t index = 0; index < curves_.size(); ++index) {
      const bool second = two_columns && index % 2 == 1;
      const double begin = second ? Svg::width / 2 : 0;
      if (!second) y += legend_line;
      svg_.path(look_of(curves_[index]), fmt::format("M{} {}h26", coordinate(begin), coordinate(y - 4)));
      svg_.name(begin + sample, y, curves_[index].arm->id, (two_columns ? Svg::width / 2 : Svg::width) - sample);
    }
    return y + 6;
  }

  std::vector<Curve> curves_;
  LogAxis axis_;
  double decades_;
  Svg svg_;
};

}  // namespace

std::string quantile_plot(const Cell& cell) {
  std::vector<Curve> curves = curves_of(cell);
  std::vector<double> seconds;
  double decades = 0.5;
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) seconds.push_back(point.seconds);
    decades = std::max(decades, curve.points.back().decades);
  }
  const auto range = range_of(seconds, 0.04, 1.5);
  return range ? Quantiles(cell, std::move(curves), *range, decades).drawn() : "";
}

}  // namespace tlsrig::report::html
