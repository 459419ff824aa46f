// Looking among commands and scenarios.
#include <tlsrig/cli/hint.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::cli {

namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& directory : scenario_directories())
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  return names;
}

}  // namespace

std::string command_hint(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[1].empty() || arguments[1].front() == '-') return {};
  const std::string& word = arguments[1];
  const auto commands = commands_of(app), scenarios = scenario_names();
  if (std::find(commands.begin(), commands.end(), word) != commands.end() || word == "worker") return {};
  const bool is_scenario =
      word.ends_with(".toml") || std::find(scenarios.begin(), scenarios.end(), word) != scenarios.end();
  const std::string command = scenario::nearest(word, commands), scenario = scenario::nearest(word, scenarios);
  if (is_scenario) return fmt::format("\"{}\" is a scenario: tlsrig run {}", word, word);
  if (!command.empty()) return fmt::format("\"{}\" is no command; did you mean tlsrig {}?", word, command);
  if (!scenario.empty()) return fmt::format("\"{}\" is no command; did you mean tlsrig run {}?", word, scenario);
  return fmt::format("\"{}\" is no command; there are: {}", word, scenario::quoted_list(commands));
}

}  // namespace tlsrig::cli
