// From a result to an exit status, and why.
#include <tlsrig/cli/outcome.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/thresholds_text.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::cli {

namespace {

using report::Status;

std::size_t arms_that(const report::Result& result, Status status) {
  std::size_t count = 0;
  for (const auto& cell : result.cells)
    for (const auto& arm : cell.arms) count += arm.status == status ? 1 : 0;
  return count;
}

std::size_t all_arms(const report::Result& result) {
  std::size_t count = 0;
  for (const auto& cell : result.cells) count += cell.arms.size();
  return count;
}

// The reason of the first arm that has one: a time limit says the same of all.
std::string first_reason(const report::Result& result, Status status) {
  for (const auto& cell : result.cells)
    for (const auto& arm : cell.arms)
      if (arm.status == status && arm.reason) return report::one_line(*arm.reason);
  return "no reason told";
}

// "CELL: ARM against BASELINE" of every verdict that is none, on what arms are ranked by.
std::vector<std::string> undecided_verdicts(const report::Result& result) {
  std::vector<std::string> why;
  for (const auto& cell : result.cells) {
    for (const auto* comparison : report::valid_comparisons(cell)) {
      const auto* arm = report::find_arm(cell, comparison->arm);
      const auto* baseline = report::find_arm(cell, comparison->baseline);
      const auto* main = report::main_metric(*arm);
      if (arm->twin || report::is_yardstick(cell, *arm) || report::is_yardstick(cell, *baseline) || main == nullptr ||
          comparison->metric != main->name)
        continue;
      if (comparison->verdict && *comparison->verdict != "inconclusive") continue;
      why.push_back(fmt::format("{}: {} against {} {}", cell.id, arm->id, baseline->id,
                                comparison->verdict ? "is inconclusive" : "has no verdict: too few blocks"));
    }
  }
  return why;
}

bool any_ok(const report::Cell& cell) {
  return std::any_of(cell.arms.begin(), cell.arms.end(), [](const auto& arm) { return arm.status == Status::ok; });
}

// A cell whose twin shows that differences of the size that matters cannot be told apart, or shows nothing.
std::vector<std::string> unresolved_cells(const report::Result& result) {
  std::vector<std::string> why;
  for (const auto& cell : result.cells) {
    const auto twin = std::find_if(cell.arms.begin(), cell.arms.end(), [](const report::Arm& arm) { return arm.twin; });
    if (twin == cell.arms.end() || !any_ok(cell)) continue;
    const auto resolution = report::resolution(cell);
    if (twin->status != Status::ok)
      why.push_back(fmt::format("{}: A/A not resolved: the twin is {}", cell.id, report::words_for(twin->status)));
    else if (!resolution)
      why.push_back(fmt::format("{}: A/A not resolved: the twin has no interval", cell.id));
    else if (!resolution->resolved())
      why.push_back(fmt::format("{}: A/A not resolved: differences below {} cannot be told apart, {} was wanted",
                                cell.id, report::limit_words(resolution->limit),
                                report::limit_words(resolution->equivalence)));
  }
  return why;
}

// A cell that has numbers, and nothing to compare them with.
std::vector<std::string> cells_without_baseline(const report::Result& result) {
  std::vector<std::string> why;
  for (const auto& cell : result.cells) {
    const auto* baseline = report::find_arm(cell, cell.baseline);
    if (baseline != nullptr && baseline->status != Status::ok && any_ok(cell))
      why.push_back(fmt::format("{}: nothing is compared: the baseline {} is {}", cell.id, baseline->id,
                                report::words_for(baseline->status)));
  }
  return why;
}

std::vector<std::string> thresholds_that(const report::Result& result, std::optional<bool> held) {
  std::vector<std::string> why;
  for (const auto& threshold : result.thresholds)
    if (threshold.held == held) why.push_back(report::threshold_sentence(threshold));
  return why;
}

void append(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Outcome outcome_of(const report::Result& result, bool lost, bool strict) {
  const std::size_t failed = arms_that(result, Status::failed), incomplete = arms_that(result, Status::incomplete);
  Outcome outcome;
  auto& why = outcome.why;
  if (failed > 0)
    why.push_back(
        fmt::format("{} failed: {}", report::counted(failed, "arm", "arms"), first_reason(result, Status::failed)));
  if (incomplete > 0)
    why.push_back(fmt::format("{} incomplete: {}", report::counted(incomplete, "arm", "arms"),
                              first_reason(result, Status::incomplete)));
  const bool all_unsupported = arms_that(result, Status::unsupported) == all_arms(result);
  const auto not_held = thresholds_that(result, false);
  append(why, not_held);
  const auto not_judged =
      thresholds_that(result, std::nullopt);  // said in any case: a gate that judged nothing is none
  append(why, not_judged);
  std::vector<std::string> undecided;
  if (strict) {
    append(undecided, undecided_verdicts(result));
    append(undecided, cells_without_baseline(result));
    append(undecided, unresolved_cells(result));
    append(why, undecided);
    append(undecided, not_judged);
  }
  outcome.status = lost || failed > 0 || incomplete > 0 ? exit_status::incomplete
                   : all_unsupported                    ? exit_status::unsupported
                   : !not_held.empty()                  ? exit_status::wanting
                   : !undecided.empty()                 ? exit_status::undecided
                                                        : exit_status::done;
  return outcome;
}

}  // namespace tlsrig::cli
