// Everything that was derived is derived once more, by the same functions as in a run.
#include <tlsrig/judge/consistency.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/judge/thresholds.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/scenario/thresholds.hpp>

namespace tlsrig::judge {

namespace {

// The same sums in another order, on another processor or by another compiler, differ by less.
constexpr double rounding = 1e-9;

bool same(double a, double b) { return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b)); }

// A number of the model as its file has it: what is not finite is null there.
std::optional<double> as_written(std::optional<double> number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string words(const std::optional<double>& number) { return number ? fmt::format("{:.10g}", *number) : "none"; }

// Where a difference is, and what is thrown when there is one.
class Where {
 public:
  explicit Where(std::string place) : place_(std::move(place)) {}
  Where in(std::string_view part) const { return Where(fmt::format("{}: {}", place_, part)); }

  [[noreturn]] void refuse(std::string_view what) const {
    throw report::UnreadableResult(
        fmt::format("{} {}: the file was changed after it was written, or by another version", place_, what));
  }

  void require(std::string_view name, const std::optional<double>& found, const std::optional<double>& given) const {
    const auto is = as_written(found), should_be = as_written(given);
    if (is.has_value() != should_be.has_value() || (is && !same(*is, *should_be)))
      refuse(fmt::format("{}is {}, its blocks give {}", name, words(is), words(should_be)));
  }
  void require(std::string_view name, const std::string& found, const std::string& given) const {
    if (found != given) refuse(fmt::format("{}is \"{}\", its blocks give \"{}\"", name, found, given));
  }
  void require(std::string_view name, std::uint64_t found, std::uint64_t given) const {
    if (found != given) refuse(fmt::format("{}is {}, its blocks give {}", name, found, given));
  }

 private:
  std::string place_;
};

scenario::Settings settings_of(const report::Arm& arm, const Where& where) {
  try {
    return scenario::settings_from_json(arm.settings);
  } catch (const std::exception& fault) {  // nlohmann's own for what is no object
    where.refuse(fmt::format("cannot be judged by its settings ({})", fault.what()));
  }
}

void require_metric(const report::Metric& found, const report::Metric& given, const Where& where) {
  where.require("", found.value, given.value);
  where.require("low ", found.low, given.low);
  where.require("high ", found.high, given.high);
  where.require("n ", found.n, given.n);
  where.require("unit ", found.unit, given.unit);
  where.require("better ", found.better, given.better);
}

void require_metrics(const report::Arm& arm, const std::set<std::string>& metrics, const Where& where) {
  const auto given = metrics_of(arm, settings_of(arm, where));
  for (const auto& metric : arm.metrics) {
    const auto same_name = [&](const auto& other) { return other.name == metric.name; };
    const auto one = std::find_if(given.begin(), given.end(), same_name);
    if (one == given.end()) where.in(metric.name).refuse("is none that its blocks give");
    require_metric(metric, *one, where.in(metric.name));
  }
  if (arm.status != report::Status::ok) return;
  for (const auto& metric : given)
    if (metrics.contains(metric.name) && !report::find_metric(arm, metric.name))
      where.in(metric.name).refuse("is missing, its blocks give it");
}

void require_comparison(const report::Comparison& found, const report::Comparison& given, const Where& where) {
  where.require("ratio ", found.ratio, given.ratio);
  where.require("low ", found.low, given.low);
  where.require("high ", found.high, given.high);
  where.require("n ", found.n, given.n);
  where.require("baseline ", found.baseline, given.baseline);
  where.require("limit ", found.limit, given.limit);
  where.require("verdict ", found.verdict.value_or("none"), given.verdict.value_or("none"));
  const auto number = [](const auto& blocks) { return blocks ? std::optional<double>(*blocks) : std::nullopt; };
  const auto is = number(found.blocks_needed), should_be = number(given.blocks_needed);
  if (is && should_be && std::abs(*is - *should_be) <= 1) return;  // rounded up: the last bit may have decided
  where.require("blocks_needed ", is, should_be);
}

const report::Comparison* find(const std::vector<report::Comparison>& comparisons, const report::Comparison& like) {
  const auto found = std::find_if(comparisons.begin(), comparisons.end(), [&](const auto& other) {
    return other.arm == like.arm && other.metric == like.metric;
  });
  return found == comparisons.end() ? nullptr : &*found;
}

std::vector<report::Comparison> comparisons_of(const report::Cell& cell, const Where& where) {
  report::Cell again = cell;
  again.comparisons.clear();
  if (again.arms.empty()) return {};
  const auto settings = settings_of(again.arms.front(), where);
  compare_arms(again, settings);
  return again.comparisons;
}

void require_comparisons(const report::Cell& cell, const std::set<std::string>& metrics, const Where& where) {
  const auto given = comparisons_of(cell, where);
  const auto below = [&](const report::Comparison& comparison) {
    return where.in(fmt::format("{} against {}, {}", comparison.arm, comparison.baseline, comparison.metric));
  };
  for (const auto& comparison : cell.comparisons) {
    const auto* again = find(given, comparison);
    if (!again) below(comparison).refuse("is no comparison that the blocks give");
    require_comparison(comparison, *again, below(comparison));
  }
  for (const auto& comparison : given)
    if (metrics.contains(comparison.metric) && !find(cell.comparisons, comparison))
      below(comparison).refuse("is missing, the blocks give it");
}

// The demand as a scenario makes it, from what the result repeats of it.
scenario::ThresholdPlan plan_of(const report::Threshold& threshold, const Where& where) {
  scenario::ThresholdPlan plan;
  plan.kind = scenario::threshold_kind(threshold.kind);
  const auto parsed = scenario::parse_expression(plan.kind, threshold.expr);
  if (!parsed.expression) where.refuse(fmt::format("expr cannot be judged ({})", parsed.fault));
  plan.expr = threshold.expr;
  plan.metric = threshold.metric;
  plan.demand = *parsed.expression;
  plan.targets = {{threshold.cell, threshold.arm, threshold.backend}};
  return plan;
}

// Whether the scenario of its cell, as the file repeats it, makes this demand. True where the file does not repeat it.
bool is_demanded(const report::Threshold& threshold, const report::Result& result) {
  const auto* cell = report::find_cell(result, threshold.cell);
  const auto scenario = std::find_if(result.scenarios.begin(), result.scenarios.end(),
                                     [&](const auto& one) { return cell != nullptr && one.name == cell->scenario; });
  if (scenario == result.scenarios.end() || !scenario->effective.is_object()) return true;
  const auto pointer = report::Json::json_pointer("/thresholds/" + threshold.kind);
  const report::Json demands = scenario->effective.value(pointer, report::Json::array());
  return std::any_of(demands.begin(), demands.end(), [&](const report::Json& demand) {
    const auto says = [&](const char* name, const std::string& text) { return demand.value(name, text) == text; };
    return demand.is_object() && says("expr", threshold.expr) && says("metric", threshold.metric) &&
           says("backend", threshold.backend) && says("arm", threshold.arm);
  });
}

void require_threshold(const report::Threshold& threshold, const report::Result& result, const Where& where) {
  if (threshold.kind.empty() || threshold.cell.empty() || threshold.metric.empty()) return;  // too little is told of it
  if (!is_demanded(threshold, result)) where.refuse("is none that the scenario in the file demands");
  scenario::ScenarioPlan plan;
  plan.thresholds.push_back(plan_of(threshold, where));
  const report::Threshold given = judge_thresholds({plan}, result).at(0);
  const auto word = [](const std::optional<bool>& held) {
    return std::string(!held ? "none" : *held ? "true" : "false");
  };
  where.require("value ", threshold.value, given.value);
  where.require("held ", word(threshold.held), word(given.held));
}

void require_cell(const report::Cell& cell, const std::set<std::string>& metrics, const Where& where) {
  try {
    for (const auto& arm : cell.arms)
      if (arm.status == report::Status::ok || arm.status == report::Status::incomplete)
        require_metrics(arm, metrics, where.in(arm.id));
    require_comparisons(cell, metrics, where);
  } catch (const std::invalid_argument& fault) {  // of the statistics: numbers that no run could have
    where.refuse(fmt::format("cannot be judged again ({})", fault.what()));
  }
}

// The names of all metrics of a file. An earlier version may have known fewer than this one gives.
std::set<std::string> metrics_in(const report::Result& result) {
  std::set<std::string> names;
  for (const auto& cell : result.cells)
    for (const auto& arm : cell.arms)
      for (const auto& metric : arm.metrics) names.insert(metric.name);
  return names;
}

}  // namespace

void require_consistent(const report::Result& result, const std::string& name) {
  const std::set<std::string> metrics = metrics_in(result);
  for (std::size_t i = 0; i < result.cells.size(); ++i)
    require_cell(result.cells[i], metrics, Where(fmt::format("{}: cells[{}] ({})", name, i, result.cells[i].id)));
  for (std::size_t i = 0; i < result.thresholds.size(); ++i)
    require_threshold(result.thresholds[i], result, Where(fmt::format("{}: thresholds[{}]", name, i)));
}

}  // namespace tlsrig::judge
