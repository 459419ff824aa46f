// Drawing forest plots.
#include <tlsrig/report/html/forest_plot.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/html/axis.hpp>
#include <tlsrig/report/html/svg.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

constexpr double far = 2;  // times beyond all others: an arrow

// The strip below a row's words is far enough from them for their descenders.
constexpr double line_height = 15, strip_gap = 5, strip_height = 14, row_gap = 8;
constexpr double verdict_column = 100;  // where verdicts begin when the names are short

struct Placed {
  const Arm* arm = nullptr;
  const Comparison* comparison = nullptr;  // nullptr: the baseline, or no ratio
  double top = 0;
};

// Baseline and arms in the order of the tables, without the yardstick: it has no verdict, and mostly lies far off.
std::vector<Placed> rows_of(const Cell& cell) {
  const Ranking ranking = rank(cell);
  const std::string metric = main_metric_name(cell);
  std::vector<Placed> rows;
  for (const Arms* arms : {&ranking.ranked, &ranking.others}) {
    for (const Arm* arm : *arms) rows.push_back({arm, find_comparison(cell, arm->id, metric), 0});
  }
  return rows;
}

bool is_judged(const Placed& row) {
  return row.comparison != nullptr && row.comparison->ratio && row.comparison->verdict;
}

// From the arms with verdicts, those nearest to 1 first: each widens the axis unless it lies far from what is on it.
Range axis_range(const std::vector<Placed>& rows, std::optional<double> limit) {
  const double band = std::min(1 + limit.value_or(0), far);
  Range range{1 / band, band};
  std::vector<const Comparison*> nearest;
  for (const Placed& row : rows)
    if (is_judged(row) && *row.comparison->ratio > 0) nearest.push_back(row.comparison);
  const auto distance = [](const Comparison* comparison) { return std::abs(std::log(*comparison->ratio)); };
  std::stable_sort(nearest.begin(), nearest.end(),
                   [&](const Comparison* left, const Comparison* right) { return distance(left) < distance(right); });
  for (const Comparison* comparison : nearest) {
    const Range reach{range.low / far, range.high * far};
    if (*comparison->ratio < reach.low || *comparison->ratio > reach.high) continue;
    for (const auto& value : {comparison->ratio, comparison->low, comparison->high}) {
      if (!value) continue;
      range.low = std::min(range.low, std::max(*value, reach.low));
      range.high = std::max(range.high, std::min(*value, reach.high));
    }
  }
  return *range_of({range.low, range.high}, 0.06, 1.08);
}

std::string numbers_of(const Placed& row) {
  if (!row.comparison || !row.comparison->ratio) return "";
  return format_ratio(*row.comparison->ratio) + in_brackets(interval_words(*row.comparison));
}

// For those who do not see the picture.
std::string description(const Cell& cell, const std::vector<Placed>& rows) {
  std::string words;
  for (const Placed& row : rows) {
    const std::string numbers = numbers_of(row);
    words +=
        fmt::format("{}: {}{}. ", row.arm->id, marking_of(cell, *row.arm).word, numbers.empty() ? "" : ", " + numbers);
  }
  return words;
}

class Forest {
 public:
  explicit Forest(const Cell& cell)
      : cell_(cell),
        limit_(limit_of(cell)),
        equivalence_(equivalence_of(cell)),
        rows_(rows_of(cell)),
        axis_(axis_of()),
        svg_("forest", fmt::format("Ratios of {} to {}", metric_words(main_metric_name(cell)), cell.baseline),
             description(cell, rows_)) {
    const bool long_names = std::any_of(rows_.begin(), rows_.end(), [](const Placed& row) {
      return width_of(row.arm->id, Weight::strong) > verdict_column - 4;
    });
    text_lines_ = long_names ? 2 : 1;
    for (Placed& row : rows_) {
      row.top = bottom_;
      bottom_ += text_lines_ * line_height + (has_mark(row) ? strip_gap + strip_height : 0) + row_gap;
    }
  }

  std::string drawn() {
    for (const Placed& row : rows_) {
      words(row);
      if (!has_mark(row)) continue;
      strip(row);
      mark(row);
    }
    axis();
    return svg_.finished(bottom_);
  }

 private:
  LogAxis axis_of() const {
    constexpr double margin = 8;  // half an arrow, half a label
    const Range range = axis_range(rows_, limit_);
    return {range.low, range.high, margin, Svg::width - margin};
  }

  static bool has_mark(const Placed& row) { return row.comparison != nullptr && row.comparison->ratio; }

  // Of one row, behind its mark: bands through the whole picture would lie behind the words too.
  void strip(const Placed& row) {
    const double top = strip_top(row), height = strip_height;
    const auto band = [&](std::string_view look, double difference) {
      const double from = axis_.at(1 / (1 + difference)), to = axis_.at(1 + difference);
      svg_.box(look, from, top, to - from, height);
    };
    svg_.line("grid", 0, top + height / 2, Svg::width, top + height / 2);
    if (has_limit_band()) band("band-limit", *limit_);
    if (equivalence_) band("band-equivalence", *equivalence_);
    svg_.line("one", axis_.at(1), top, axis_.at(1), top + height);
  }

  double strip_top(const Placed& row) const { return row.top + text_lines_ * line_height + strip_gap; }

  bool has_limit_band() const { return limit_ && (!equivalence_ || *limit_ > *equivalence_); }

  void words(const Placed& row) {
    const double first = row.top + 12, last = first + (text_lines_ - 1) * line_height;
    const Marking verdict = marking_of(cell_, *row.arm);
    svg_.name(0, first, row.arm->id, text_lines_ == 1 ? verdict_column - 4 : Svg::width);
    const std::string spoken = verdict.symbol + " " + verdict.word + (verdict.reason.empty() ? "" : ": ");
    const double at = text_lines_ == 1 ? verdict_column : 0;
    svg_.text("verdict " + verdict.tone, at, last, fitting(spoken + one_line(verdict.reason), Svg::width - at));
    svg_.text("number", Svg::width, last, numbers_of(row), Anchor::end);
  }

  void mark(const Placed& row) {
    const Comparison& comparison = *row.comparison;
    const double y = strip_top(row) + strip_height / 2;
    if (comparison.low && comparison.high) {
      const double from = axis_.at(*comparison.low), to = axis_.at(*comparison.high);
      svg_.line("interval", from, y, to, y);
      if (axis_.holds(*comparison.low)) svg_.line("interval", from, y - 4, from, y + 4);
      if (axis_.holds(*comparison.high)) svg_.line("interval", to, y - 4, to, y + 4);
    }
    const double x = axis_.at(*comparison.ratio);
    if (axis_.holds(*comparison.ratio)) {
      svg_.circle(row.arm->twin ? "estimate hollow" : "estimate", x, y, 4);
    } else {
      const double back = *comparison.ratio < 1 ? 7 : -7;
      svg_.path("beyond", fmt::format("M{} {}l{} -5v10z", coordinate(x), coordinate(y), coordinate(back)));
    }
  }

  // Below its place; at the plot's edges within it.
  void mark(double x, const std::string& text) {
    constexpr double widest_half_digit = 4;
    const double half = widest_half_digit * static_cast<double>(text.size());
    if (x < half)
      svg_.text("tick", 0, bottom_ + 16, text);
    else if (x > Svg::width - half)
      svg_.text("tick", Svg::width, bottom_ + 16, text, Anchor::end);
    else
      svg_.text("tick", x, bottom_ + 16, text, Anchor::middle);
  }

  void axis() {
    svg_.line("axis", 0, bottom_, Svg::width, bottom_);
    for (const double value : axis_.marks(7, 34)) {
      svg_.line("axis", axis_.at(value), bottom_, axis_.at(value), bottom_ + 4);
      mark(axis_.at(value), mark_text(value));
    }
    bottom_ += 33;
    const Arm* baseline = find_arm(cell_, cell_.baseline);
    const Metric* metric = baseline ? find_metric(*baseline, main_metric_name(cell_)) : nullptr;
    const bool lower = metric && metric->better == "lower";
    const std::string whom = width_of(cell_.baseline) < 130 ? cell_.baseline : "the baseline";
    svg_.text("tick", 0, bottom_, fmt::format("ratio to {}, log scale; {} is better", whom, lower ? "left" : "right"));
    legend();
    bottom_ += 6;
  }

  void legend() {
    double x = 0;
    const auto entry = [&](std::string_view look, const std::string& text) {
      if (x == 0) bottom_ += 17;
      svg_.box(look, x, bottom_ - 10, 12, 12);
      svg_.text("tick", x + 17, bottom_, text);
      x += 17 + width_of(text) + 8;
    };
    if (equivalence_)
      entry("band-equivalence",
            (limit_ && !has_limit_band() ? "equivalence and limit " : "equivalence ") + limit_words(*equivalence_));
    if (has_limit_band()) entry("band-limit", "limit " + limit_words(*limit_));
  }

  const Cell& cell_;
  std::optional<double> limit_, equivalence_;
  std::vector<Placed> rows_;
  LogAxis axis_;
  Svg svg_;
  int text_lines_ = 1;
  double bottom_ = 0;
};

}  // namespace

std::string forest_plot(const Cell& cell) {
  const std::vector<Placed> rows = rows_of(cell);
  const bool compared = std::any_of(
      rows.begin(), rows.end(), [](const Placed& row) { return row.comparison != nullptr && row.comparison->ratio; });
  return compared ? Forest(cell).drawn() : "";
}

}  // namespace tlsrig::report::html
