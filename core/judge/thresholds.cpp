// Holding ends of intervals against bounds.
#include <tlsrig/judge/thresholds.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::judge {

namespace {

using scenario::ThresholdKind;

// The end that is judged, or why there is none.
struct Found {
  std::optional<double> value;
  std::string reason;
};

Found missing(std::string reason) { return {std::nullopt, std::move(reason)}; }

std::string not_ok(const report::Arm& arm) { return fmt::format("{} is {}", arm.id, report::status_words(arm)); }

std::string too_few(const std::string& metric, const report::Arm& arm) {
  if (arm.blocks.size() < stats::fewest_for_interval)
    return fmt::format("{} blocks give no interval; {} are needed", arm.blocks.size(), stats::fewest_for_interval);
  if (metric.starts_with("service_time_"))
    return "no interval: single blocks have too few samples for this percentile; lengthen measure.block";
  return "no interval: a block has no such value";
}

Found find_value(const scenario::ThresholdPlan& threshold, const report::Arm& arm) {
  const auto* metric = report::find_metric(arm, threshold.metric);
  if (metric == nullptr) return missing("the arm gave no such metric");
  const auto end = threshold.demand.is_floor ? metric->low : metric->high;
  return end ? Found{end, {}} : missing(too_few(threshold.metric, arm));
}

Found find_ratio(const scenario::ThresholdPlan& threshold, const report::Cell& cell, const report::Arm& arm) {
  const auto* baseline = report::find_arm(cell, cell.baseline);
  if (baseline == nullptr || baseline->status != report::Status::ok)
    return missing("no ratio: the baseline " + (baseline ? not_ok(*baseline) : "is missing"));
  const auto* comparison = report::find_comparison(cell, arm.id, threshold.metric);
  const auto end = comparison == nullptr       ? std::nullopt
                   : threshold.demand.is_floor ? comparison->low
                                               : comparison->high;
  return end ? Found{end, {}} : missing(too_few(threshold.metric, arm));
}

Found find_end(const scenario::ThresholdPlan& threshold, const scenario::ThresholdPlan::Target& target,
               const report::Result& result) {
  const auto* cell = report::find_cell(result, target.cell);
  const auto* arm = cell == nullptr ? nullptr : report::find_arm(*cell, target.arm);
  if (arm == nullptr) return missing("the run ended before this cell");
  if (arm->status != report::Status::ok) return missing(not_ok(*arm));
  return threshold.kind == ThresholdKind::ratio ? find_ratio(threshold, *cell, *arm) : find_value(threshold, *arm);
}

bool holds(const scenario::ThresholdPlan& threshold, double value) {
  if (threshold.demand.or_equal && value == threshold.demand.bound) return true;
  return threshold.demand.is_floor ? value > threshold.demand.bound : value < threshold.demand.bound;
}

}  // namespace

std::vector<report::Threshold> judge_thresholds(const std::vector<scenario::ScenarioPlan>& plans,
                                                const report::Result& result) {
  std::vector<report::Threshold> judged;
  for (const auto& plan : plans) {
    for (const auto& threshold : plan.thresholds) {
      for (const auto& target : threshold.targets) {
        const Found found = find_end(threshold, target, result);
        report::Threshold one;
        one.kind = scenario::threshold_kind_name(threshold.kind);
        one.expr = threshold.expr;
        one.metric = threshold.metric;
        one.cell = target.cell;
        one.arm = target.arm;
        one.backend = target.backend;
        one.value = found.value;
        if (found.value)
          one.held = holds(threshold, *found.value);
        else
          one.reason = found.reason;
        judged.push_back(std::move(one));
      }
    }
  }
  return judged;
}

}  // namespace tlsrig::judge
