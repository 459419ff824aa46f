// Log ratios to the reference by block, and their shift from one run to the other.
#include <tlsrig/judge/compare_results.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/judge/comparable.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/paired.hpp>
#include <tlsrig/stats/shift.hpp>
#include <tlsrig/stats/verdict.hpp>

namespace tlsrig::judge {
namespace {

using report::Arm;
using report::Cell;

constexpr std::string_view yardstick = "plaintcp";

// The values of a metric by block; empty when a block has none.
std::vector<double> values_of(const Arm& arm, const std::string& name) {
  std::vector<double> values = block_values(arm, name, {});  // the settings matter to payload alone
  return values.size() == arm.blocks.size() ? values : std::vector<double>();
}

// ln(arm / reference) of every block; empty when one of both has no value or 0 in a block. Arms that are ok have been
// in every block of their cell, so equal numbers are the same blocks.
std::vector<double> log_ratios(const Arm& arm, const Arm& reference, const std::string& name) {
  const auto values = values_of(arm, name), base = values_of(reference, name);
  std::vector<double> logarithms;
  if (values.size() != base.size()) return {};
  for (std::size_t block = 0; block < values.size(); ++block) {
    if (!(values[block] > 0) || !(base[block] > 0)) return {};
    logarithms.push_back(std::log(values[block]) - std::log(base[block]));
  }
  return logarithms;
}

report::Change change_of(stats::Finding finding) {
  switch (finding) {
    case stats::Finding::better:
      return report::Change::better;
    case stats::Finding::worse:
      return report::Change::worse;
    case stats::Finding::equivalent:
      return report::Change::unchanged;
    case stats::Finding::likely_better:
      return report::Change::likely_better;
    case stats::Finding::likely_worse:
      return report::Change::likely_worse;
    case stats::Finding::inconclusive:
      break;
  }
  return report::Change::inconclusive;
}

// The same arm, or the reference, in both runs.
struct Both {
  const Arm* before = nullptr;
  const Arm* after = nullptr;
  bool ok() const { return before->status == report::Status::ok && after->status == report::Status::ok; }
};

void add_shift(const std::vector<double>& before, const std::vector<double>& after, double threshold,
               report::MetricChange& metric) {
  const stats::Estimate shift = stats::shift(before, after);
  metric.ratio = std::exp(shift.value);
  if (!shift.interval) {
    metric.reason =
        fmt::format("{} and {}: an interval needs {} in each run", report::counted(before.size(), "block", "blocks"),
                    after.size(), stats::fewest_for_interval);
    return;
  }
  const stats::Interval ends{std::exp(shift.interval->low), std::exp(shift.interval->high)};
  metric.low = ends.low;
  metric.high = ends.high;
  const bool more_is_better = metric.better != "lower";
  const stats::Basis basis{more_is_better ? stats::Better::higher : stats::Better::lower, stats::Quantity::speed,
                           threshold, std::nullopt};
  metric.change = change_of(stats::judge({*metric.ratio, ends, shift.n}, basis)->finding);
  metric.rules_out_worse = more_is_better ? ends.low * (1 + threshold) >= 1 : ends.high <= 1 + threshold;
}

report::MetricChange compare_metric(const report::Metric& told, const Both& arm, const Both& reference,
                                    double threshold) {
  report::MetricChange metric{told.name, told.unit, told.better, {}, told.value, {}, {}, {}, {}, {}, {}, "", false};
  if (const report::Metric* before = report::find_metric(*arm.before, told.name)) metric.old_value = before->value;
  if (!reference.after) return metric;
  const auto before = log_ratios(*arm.before, *reference.before, told.name);
  const auto after = log_ratios(*arm.after, *reference.after, told.name);
  if (!before.empty()) metric.old_ratio = std::exp(stats::walsh_estimate(before).value);
  if (!after.empty()) metric.new_ratio = std::exp(stats::walsh_estimate(after).value);
  if (before.empty() || after.empty()) {
    metric.reason = fmt::format("in {} a block of it or of {} has none, or too few samples of its own",
                                before.empty() ? "OLD" : "NEW", reference.after->id);
    return metric;
  }
  add_shift(before, after, threshold, metric);
  return metric;
}

// A metric of every block, and not the same one in other units.
bool is_compared(const std::string& name) {
  return name == "throughput" || name.starts_with("cpu_") || name.starts_with("service_time_");
}

report::ArmChange compare_arm(const Both& arm, const Both& reference, const std::string& no_reference,
                              double threshold) {
  report::ArmChange change;
  change.id = arm.after->id;
  change.reference = reference.after && arm.after == reference.after;
  change.old_status = arm.before->status;
  change.new_status = arm.after->status;
  if (arm.before->status != report::Status::ok) change.old_words = report::status_words(*arm.before);
  if (arm.after->status != report::Status::ok) change.new_words = report::status_words(*arm.after);
  if (!arm.ok()) {
    change.reason = arm.before->status == report::Status::ok  ? "in NEW " + change.new_words
                    : arm.after->status == report::Status::ok ? "in OLD " + change.old_words
                    : change.old_words == change.new_words
                        ? "in both " + change.new_words
                        : fmt::format("in OLD {}; in NEW {}", change.old_words, change.new_words);
    return change;
  }
  const bool alone = change.reference || !no_reference.empty();  // values, and nothing to put them in relation to
  if (!change.reference) change.reason = no_reference;
  for (const auto& metric : arm.after->metrics)
    if (is_compared(metric.name) && metric.value)
      change.metrics.push_back(compare_metric(metric, arm, alone ? Both{} : reference, threshold));
  return change;
}

// What is no choice among others is not judged, as in a run's own report.
void leave_unjudged(report::ArmChange& arm) {
  arm.yardstick = true;
  for (auto& metric : arm.metrics) {
    metric.change.reset();
    metric.reason.clear();
  }
}

Both find_both(const Cell& before, const Cell& after, const std::string& id) {
  return {report::find_arm(before, id), report::find_arm(after, id)};
}

// Which arm the others are put in relation to, and why it is that one or none.
struct Reference {
  std::string id, note;
  Both arm;
};

Reference choose_reference(const Cell& before, const Cell& after, const std::string& asked) {
  Reference chosen;
  const auto take = [&](const std::string& id) {
    const Both arm = find_both(before, after, id);
    if (!arm.before || !arm.after) return false;
    chosen.id = id;
    chosen.arm = arm;
    return true;
  };
  const auto absent = [&](const std::string& id) {
    const Both arm = find_both(before, after, id);
    return fmt::format("{} is no arm of {}", id, !arm.before && !arm.after ? "either run" : arm.before ? "NEW" : "OLD");
  };
  if (!asked.empty()) {
    if (!take(asked)) chosen.note = fmt::format("no ratio: the reference {}", absent(asked));
    return chosen;
  }
  const bool engine = after.workload == "engine";
  if (!engine && take(std::string(yardstick))) return chosen;
  if (take(after.baseline) || take(before.baseline)) {
    if (!engine) chosen.note = fmt::format("the baseline, as {}", absent(std::string(yardstick)));
    return chosen;
  }
  chosen.note = fmt::format("no ratio: neither run's baseline is an arm of both ({}, {}): name one with --reference",
                            before.baseline, after.baseline);
  return chosen;
}

report::CellChange compare_cell(const Cell& before, const Cell& after, const CompareOptions& options) {
  const Reference reference = choose_reference(before, after, options.reference);
  report::CellChange change;
  change.id = after.id;
  change.reference = reference.id;
  change.note = reference.note;
  std::string no_reference = reference.id.empty() ? reference.note : "";
  if (!reference.id.empty()) {
    change.old_blocks = reference.arm.before->blocks.size();
    change.new_blocks = reference.arm.after->blocks.size();
    if (!reference.arm.ok()) {
      const bool in_new = reference.arm.before->status == report::Status::ok;
      no_reference = fmt::format("no ratio: the reference {} in {} {}", reference.id, in_new ? "NEW" : "OLD",
                                 report::status_words(in_new ? *reference.arm.after : *reference.arm.before));
    }
  }
  for (const auto& arm : after.arms) {
    const Both both = find_both(before, after, arm.id);
    if (arm.twin || !both.before) continue;
    change.arms.push_back(compare_arm(both, reference.arm, no_reference, options.threshold));
    if (report::is_yardstick(after, arm)) leave_unjudged(change.arms.back());
  }
  return change;
}

void refuse_run(const report::Result& result, const std::string& name) {
  if (!result.runs.empty())
    throw NotComparable(fmt::format("{}: holds {} runs put together, and compare takes one: give it the run's own file",
                                    name, result.runs.size()));
  if (result.in_process)
    throw NotComparable(
        fmt::format("{}: was measured with --in-process, whose numbers compare with no other run's", name));
}

std::string list_of(const std::vector<std::string>& parts) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < parts.size() && i < most; ++i) text += "\n  " + parts[i];
  if (parts.size() > most) text += fmt::format("\n  and {} more", parts.size() - most);
  return text;
}

void refuse_differences(const Differences& found, const CompareOptions& options, const std::string& names) {
  std::string text;
  if (!found.machine.empty() && !options.allow_other_machine)
    text += fmt::format("{} were measured on different machines (--allow-other-machine compares them all the same):{}",
                        names, list_of(found.machine));
  if (!found.scenario.empty() && !options.allow_other_scenario)
    text += fmt::format("{}{} did not measure the same (--allow-other-scenario compares what both have):{}",
                        text.empty() ? "" : "\n", names, list_of(found.scenario));
  if (!text.empty()) throw NotComparable(text);
}

void add_warnings(const report::Result& old_result, const report::Result& new_result, const Differences& found,
                  report::RunComparison& comparison) {
  const auto warn = [&](std::string sentence) { comparison.warnings.push_back(std::move(sentence)); };
  for (const auto& difference : found.machine) warn("Another machine: " + difference + ".");
  for (const auto& difference : found.scenario)
    if (difference.ends_with(" alone"))
      comparison.left_out.push_back(difference);
    else
      warn("Another scenario: " + difference + ".");
  for (const auto& difference : found.minor) warn(difference + ".");
  for (const auto& [result, name] : {std::pair{&old_result, "OLD"}, std::pair{&new_result, "NEW"}}) {
    if (!result->complete) warn(fmt::format("{} is incomplete: its run ended before everything was measured.", name));
    if (result->quick) warn(fmt::format("{} was a quick run (--quick): few and short blocks.", name));
    const std::string banner = report::resolution_banner(*result);
    if (!banner.empty()) warn(fmt::format("{}: {}", name, banner));
  }
}

// A reference that has changed itself makes all others seem to move, and nothing that is divided by it can show that.
void warn_of_moved_reference(const report::CellChange& cell, std::vector<std::string>& warnings) {
  std::size_t up = 0, down = 0, all = 0;
  double least = 0, most = 0;
  for (const auto& arm : cell.arms) {
    for (const auto& metric : arm.metrics) {
      if (metric.name != "throughput" || !metric.ratio || !metric.low || !metric.high) continue;
      least = all == 0 ? *metric.ratio : std::min(least, *metric.ratio);
      most = all == 0 ? *metric.ratio : std::max(most, *metric.ratio);
      ++all;
      up += *metric.low > 1 ? 1 : 0;
      down += *metric.high < 1 ? 1 : 0;
    }
  }
  constexpr std::size_t fewest = 2;  // of one arm alone it cannot be told who moved
  if (all < fewest || (up != all && down != all)) return;
  warnings.push_back(fmt::format(
      "{}: all arms moved against {} in the same direction ({:.3f} x to {:.3f} x in throughput): {} itself may have "
      "changed. Compare with another --reference before believing it.",
      cell.id, cell.reference, least, most, cell.reference));
}

std::string about(const report::Result& result) {
  std::vector<std::string> parts;
  if (!result.started.empty()) parts.push_back(result.started);
  if (!result.version.empty()) parts.push_back("tlsrig " + result.version);
  if (result.machine.is_object() && result.machine.contains("load") && result.machine["load"].is_string()) {
    const auto load = result.machine["load"].get<std::string>();  // "0.52 0.58 0.59 2/345 12345"
    parts.push_back("load " + load.substr(0, load.find(' ')));
  }
  return report::joined(parts, ", ");
}

}  // namespace

report::RunComparison compare_results(const report::Result& old_result, const std::string& old_name,
                                      const report::Result& new_result, const std::string& new_name,
                                      const CompareOptions& options) {
  refuse_run(old_result, old_name);
  refuse_run(new_result, new_name);
  const Differences found = differences(old_result, new_result);
  refuse_differences(found, options, fmt::format("OLD ({}) and NEW ({})", old_name, new_name));

  report::RunComparison comparison;
  comparison.old_name = old_name;
  comparison.new_name = new_name;
  comparison.old_about = about(old_result);
  comparison.new_about = about(new_result);
  comparison.threshold = options.threshold;
  add_warnings(old_result, new_result, found, comparison);
  for (const auto& cell : new_result.cells) {
    const Cell* before = report::find_cell(old_result, cell.id);
    if (before == nullptr) continue;
    comparison.cells.push_back(compare_cell(*before, cell, options));
    warn_of_moved_reference(comparison.cells.back(), comparison.warnings);
  }
  if (comparison.cells.empty())
    throw NotComparable(fmt::format("OLD ({}) and NEW ({}) have no cell in common", old_name, new_name));
  return comparison;
}

}  // namespace tlsrig::judge
