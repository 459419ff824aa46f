// Finding scenario files, and reading several of them with all their faults.
#include <tlsrig/cli/scenario_files.hpp>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>

namespace tlsrig::cli {

namespace fs = std::filesystem;

std::vector<fs::path> scenario_directories() {
  std::vector<fs::path> directories;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  // Three levels above an installed program lies somebody else's directory: only a build tree says so of itself.
  const bool is_built = fs::exists(program / "../CMakeCache.txt", error);
  const fs::path shipped = is_built ? program / "../../.." : program / "../share/tlsrig";
  for (const fs::path& directory : {fs::path("."), shipped}) {
    const fs::path scenarios = fs::weakly_canonical(directory / "scenarios", error);
    if (!fs::is_directory(scenarios, error)) continue;
    if (std::find(directories.begin(), directories.end(), scenarios) == directories.end())
      directories.push_back(scenarios);
  }
  return directories;
}

fs::path find_scenario(const std::string& argument) {
  const bool is_name = argument.find('/') == std::string::npos && !argument.ends_with(".toml");
  if (fs::exists(argument) || !is_name) return argument;
  for (const auto& directory : scenario_directories())
    if (const fs::path file = directory / (argument + ".toml"); fs::exists(file)) return file;
  return argument;
}

std::vector<scenario::ScenarioPlan> read_scenarios(const std::vector<std::string>& arguments,
                                                   const scenario::Overrides& overrides,
                                                   const scenario::KnownBackends& known) {
  std::vector<scenario::ScenarioPlan> plans;
  std::set<std::string> names;
  std::set<std::string> faults;  // one of the command line is the same for every file: it is said once
  std::vector<scenario::Diagnostic> unmatched;
  for (const auto& argument : arguments) {
    scenario::Outcome outcome = scenario::read_scenario(find_scenario(argument), overrides, known);
    for (const auto& diagnostic : outcome.diagnostics) {
      if (diagnostic.flag == "--filter")
        unmatched.push_back(diagnostic);
      else if (faults.insert(diagnostic.what()).second)
        std::fprintf(stderr, "%s\n", diagnostic.what().c_str());
    }
    if (!outcome.plan) continue;
    if (!names.insert(outcome.plan->name).second)
      throw Unusable(
          fmt::format("{}: another scenario of this run is called \"{}\" too: cells could not be told apart; "
                      "change one's name",
                      argument, outcome.plan->name));
    plans.push_back(std::move(*outcome.plan));
  }
  // A filter may leave out all cells of one file, but not those of every file.
  if (plans.empty())
    for (const auto& diagnostic : unmatched)
      if (faults.insert(diagnostic.what()).second) std::fprintf(stderr, "%s\n", diagnostic.what().c_str());
  if (!faults.empty())
    throw Unusable(
        fmt::format("{} fault{} in the scenarios: nothing was run", faults.size(), faults.size() == 1 ? "" : "s"));
  return plans;
}

}  // namespace tlsrig::cli
