// The plan in words, and the time that it would take.
#include <tlsrig/cli/dry_run.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/time_words.hpp>

namespace tlsrig::cli {

rig::Span expected_time(const std::vector<scenario::ScenarioPlan>& plans) {
  return rig::Pace(rig::estimates(plans)).left();
}

std::string describe_plan(const std::vector<scenario::ScenarioPlan>& plans, std::uint64_t seed,
                          std::optional<std::int64_t> limit_ns) {
  std::string text;
  std::size_t cells = 0;
  for (const auto& plan : plans) {
    text += fmt::format("{} ({})\n", plan.name, plan.file.string());
    for (const auto& cell : plan.cells) {
      ++cells;
      text += fmt::format("  {}\n", cell.id);
      for (const auto& arm : cell.arms)
        text += fmt::format("    {}{}\n", arm.id,
                            arm.twin                  ? "  (the baseline once more)"
                            : arm.id == cell.baseline ? "  (baseline)"
                                                      : "");
    }
  }
  rig::Span time = expected_time(plans);
  std::string limited;
  if (limit_ns) {
    const double limit = static_cast<double>(*limit_ns) / 1e9;
    if (time.most > limit) limited = fmt::format(" (without the time limit {})", exact_time(time.most));
    time.most = std::min(time.most, limit);
  }
  const std::string least = exact_time(std::min(time.least, time.most)), most = exact_time(time.most);
  return text + fmt::format("{} cell{}; about {}{}; seed {}\n", cells, cells == 1 ? "" : "s",
                            least == most ? most : least + " to " + most, limited, seed);
}

void require_fit(const std::vector<scenario::ScenarioPlan>& plans, std::int64_t limit_ns) {
  const double least = expected_time(plans).least;
  if (least * 1e9 <= static_cast<double>(limit_ns)) return;
  throw Unusable(fmt::format(
      "--time-limit: the fewest blocks of all cells take about {}, which is more than {}; give more time, or "
      "choose cells with --filter, or fewer or shorter blocks with -r, --quick or -s measure.block=...",
      exact_time(least), exact_time(static_cast<double>(limit_ns) / 1e9)));
}

}  // namespace tlsrig::cli
