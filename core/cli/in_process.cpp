// One arm alone, and the program started anew with the library path that it needs.
#include <tlsrig/cli/in_process.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>

namespace tlsrig::cli {

void require_one_arm(const std::vector<scenario::ScenarioPlan>& plans) {
  constexpr std::size_t cells_shown = 8;
  std::size_t arms = 0, cells = 0;
  std::string names;
  for (const auto& plan : plans) {
    for (const auto& cell : plan.cells) {
      arms += cell.arms.size();
      if (++cells > cells_shown) continue;
      names += fmt::format("\n  {}:", cell.id);
      for (const auto& arm : cell.arms) names += fmt::format(" {}", arm.id);
    }
  }
  if (arms == 1) return;
  if (cells > cells_shown) names += fmt::format("\n  and {} cells more", cells - cells_shown);
  throw Unusable(fmt::format(
      "--in-process runs one arm, and this plan has {} in {} cell{}: choose one with -b NAME, --filter REGEX "
      "or -P KEY=VALUE{}",
      arms, cells, cells == 1 ? "" : "s", names));
}

void ensure_library_path(const std::string& directories, const std::vector<std::string>& command_line) {
  constexpr const char* variable = "LD_LIBRARY_PATH";
  const char* const now = std::getenv(variable);
  const std::string before = now ? now : "";
  if (directories.empty() || before == directories || before.starts_with(directories + ":")) return;
  ::setenv(variable, (before.empty() ? directories : directories + ":" + before).c_str(), 1);
  std::vector<std::string> arguments = command_line;
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  ::execv(failed ? "/proc/self/exe" : program.c_str(), pointers.data());
  throw Unusable(fmt::format("cannot start the program anew with {}={}: {}; set it yourself", variable, directories,
                             std::generic_category().message(errno)));
}

}  // namespace tlsrig::cli
