// Pairing the values of blocks.
#include <tlsrig/judge/comparisons.hpp>

#include <algorithm>
#include <optional>

#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/stats/paired.hpp>
#include <tlsrig/stats/stopping.hpp>
#include <tlsrig/stats/verdict.hpp>

namespace tlsrig::judge {

namespace {

// The ratio over the blocks that both arms have. Blocks are pushed in order, and an arm that fails is out of its cell's
// comparisons, so equal numbers mean the same blocks.
std::optional<stats::Estimate> ratio_of(const report::Arm& arm, const report::Arm& baseline, const std::string& metric,
                                        const scenario::Settings& settings) {
  const auto values = block_values(arm, metric, settings), base = block_values(baseline, metric, settings);
  const auto positive = [](double value) { return value > 0; };
  if (values.empty() || values.size() != base.size()) return std::nullopt;
  if (!std::all_of(values.begin(), values.end(), positive) || !std::all_of(base.begin(), base.end(), positive))
    return std::nullopt;
  return stats::paired_ratio(values, base);
}

report::Comparison comparison(const report::Arm& arm, const report::Arm& baseline, const std::string& metric,
                              const stats::Estimate& ratio) {
  report::Comparison result;
  result.arm = arm.id;
  result.baseline = baseline.id;
  result.metric = metric;
  result.ratio = ratio.value;
  result.n = ratio.n;
  if (ratio.interval) {
    result.low = ratio.interval->low;
    result.high = ratio.interval->high;
  }
  return result;
}

}  // namespace

void compare_arms(report::Cell& cell, const scenario::Settings& settings) {
  const report::Arm* baseline = report::find_arm(cell, cell.baseline);
  if (!baseline || baseline->status != report::Status::ok) return;
  for (const auto& metric : baseline->metrics) {
    if (metric.name == "payload_bytes_per_second") continue;  // as throughput: its ratio is the same
    std::optional<stats::Interval> self_check;
    for (const auto& arm : cell.arms)
      if (arm.twin && arm.status == report::Status::ok)
        if (const auto ratio = ratio_of(arm, *baseline, metric.name, settings)) self_check = ratio->interval;
    for (const auto& arm : cell.arms) {
      if (&arm == baseline || arm.status != report::Status::ok) continue;
      const auto ratio = ratio_of(arm, *baseline, metric.name, settings);
      if (!ratio) continue;
      report::Comparison result = comparison(arm, *baseline, metric.name, *ratio);
      const bool ranked = !report::is_yardstick(cell, arm) && !report::is_yardstick(cell, *baseline);
      if (!arm.twin && ranked) {
        const stats::Basis basis{metric.better == "higher" ? stats::Better::higher : stats::Better::lower,
                                 stats::Quantity::speed, settings.measure.equivalence, self_check};
        if (const auto verdict = stats::judge(*ratio, basis)) {
          result.limit = verdict->limit;
          result.verdict = std::string(verdict->words);
          result.blocks_needed = verdict->blocks_needed;
        }
      }
      cell.comparisons.push_back(std::move(result));
    }
  }
}

bool precise_enough(const report::Cell& cell, const scenario::Settings& settings) {
  const report::Arm* baseline = report::find_arm(cell, cell.baseline);
  const auto in_race = [](const report::Arm& arm) { return arm.status == report::Status::incomplete; };
  if (!baseline || !in_race(*baseline)) return true;  // nothing to pair with: more blocks narrow no ratio
  if (!stats::time_to_look(baseline->blocks.size(), settings.measure.blocks_min)) return false;
  return std::all_of(cell.arms.begin(), cell.arms.end(), [&](const report::Arm& arm) {
    if (&arm == baseline || !in_race(arm)) return true;
    const auto ratio = ratio_of(arm, *baseline, "throughput", settings);
    return ratio && ratio->interval && stats::precision(*ratio->interval) <= settings.measure.target_precision;
  });
}

}  // namespace tlsrig::judge
