// The plan in words, and the time that it would take.
#include <tlsrig/cli/dry_run.hpp>

#include <cmath>

#include <fmt/format.h>

namespace tlsrig::cli {

namespace {

// What an arm's life costs beside warm-up and measuring: starting workers, loading, connecting, closing. Seen: 60 to
// 120 ms.
constexpr double life_seconds = 0.1;

std::string minutes(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

}  // namespace

std::string describe_plan(const std::vector<scenario::ScenarioPlan>& plans, std::uint64_t seed) {
  std::string text;
  double least = 0, most = 0;
  std::size_t cells = 0;
  for (const auto& plan : plans) {
    text += fmt::format("{} ({})\n", plan.name, plan.file.string());
    for (const auto& cell : plan.cells) {
      ++cells;
      text += fmt::format("  {}\n", cell.id);
      for (const auto& arm : cell.arms) {
        const auto& measure = arm.settings.measure;
        const double life = life_seconds + static_cast<double>(measure.warmup_ns + measure.block_ns) / 1e9;
        least += life * measure.blocks_min;
        most += life * measure.blocks_max;
        text += fmt::format("    {}{}\n", arm.id,
                            arm.twin                  ? "  (the baseline once more)"
                            : arm.id == cell.baseline ? "  (baseline)"
                                                      : "");
      }
    }
  }
  return text + fmt::format("{} cells; about {} to {}; seed {}\n", cells, minutes(least), minutes(most), seed);
}

}  // namespace tlsrig::cli
