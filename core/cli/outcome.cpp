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
      if (arm->twin || report::is_plain(cell, *arm) || report::is_plain(cell, *baseline) || main == nullptr ||
          comparison->metric != main->name)
        continue;
      if (comparison->verdict && *comparison->verdict != "inconclusive") continue;
      why.push_back(fmt::format("{}: {} against {} {}", cell.id, arm->id, baseline->id,
                                comparison->verdict ? "is inconclusive" : "has no verdict: too few blocks"));
    }
  }
  return why;
}

// A cell whose twin shows that differences of the size that matters cannot be told apart.
std::vector<std::string> unresolved_cells(const report::Result& result) {
  std::vector<std::string> why;
  for (const auto& cell : result.cells) {
    const auto is_twin = [](const report::Arm& arm) { return arm.twin && arm.status == Status::ok; };
    if (std::none_of(cell.arms.begin(), cell.arms.end(), is_twin)) continue;
    const auto resolution = report::resolution(cell);
    if (!resolution)
      why.push_back(fmt::format("{}: A/A not resolved: the twin has no interval", cell.id));
    else if (!resolution->resolved())
      why.push_back(fmt::format("{}: A/A not resolved: differences below {} cannot be told apart, {} was wanted",
                                cell.id, report::format_percent(resolution->limit),
                                report::format_percent(resolution->equivalence)));
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
  std::vector<std::string> undecided;
  if (strict) {
    append(undecided, undecided_verdicts(result));
    append(undecided, unresolved_cells(result));
    append(undecided, thresholds_that(result, std::nullopt));
    append(why, undecided);
  }
  outcome.status = lost || failed > 0 || incomplete > 0 ? exit_status::incomplete
                   : all_unsupported                    ? exit_status::unsupported
                   : !not_held.empty()                  ? exit_status::wanting
                   : !undecided.empty()                 ? exit_status::undecided
                                                        : exit_status::done;
  return outcome;
}

}  // namespace tlsrig::cli
