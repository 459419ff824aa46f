// `tlsrig validate`: the faults of scenario files, and nothing else.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/scenario_files.hpp>

namespace tlsrig::cli {

namespace {

int validate(const std::vector<std::string>& files, const std::vector<std::string>& backend_places) {
  const auto plans = read_scenarios(files, {}, locate_backends(backend_places).known());
  for (const auto& plan : plans) {
    std::size_t arms = 0;
    for (const auto& cell : plan.cells) arms += cell.arms.size();
    fmt::print("{}: good: {} cells, {} arms\n", plan.file.string(), plan.cells.size(), arms);
  }
  return exit_status::done;
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  struct Options {
    std::vector<std::string> files, backend_places;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("validate", "Checks scenario files and runs nothing");
  command->add_option("SCENARIO", options->files, "Scenario files, or names that `tlsrig list scenarios` shows")
      ->required();
  command->add_option("-B", options->backend_places, "A plugin, or a directory of plugins; may be repeated")
      ->allow_extra_args(false);
  command->callback(
      [&action, options] { action = [options] { return validate(options->files, options->backend_places); }; });
}

}  // namespace tlsrig::cli
