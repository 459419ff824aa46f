// `tlsrig validate`: the faults of scenario files, and nothing else.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::cli {

namespace {

struct Options {
  std::vector<std::string> files, backend_places, variants;
};

int validate(const Options& options) {
  scenario::Overrides overrides;
  overrides.variants = options.variants;
  const auto plans = read_scenarios(options.files, overrides, locate_backends(options.backend_places).known());
  for (const auto& plan : plans) {
    std::size_t arms = 0;
    for (const auto& cell : plan.cells) arms += cell.arms.size();
    std::size_t thresholds = 0;
    for (const auto& threshold : plan.thresholds) thresholds += threshold.targets.size();
    cli::print(fmt::format("{}: good: {}, {}{}\n", plan.file.string(),
                           report::counted(plan.cells.size(), "cell", "cells"), report::counted(arms, "arm", "arms"),
                           thresholds == 0 ? "" : ", " + report::counted(thresholds, "threshold", "thresholds")));
  }
  return exit_status::done;
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("validate", "Checks scenario files and runs nothing");
  command->add_option("SCENARIO", options->files, "Scenario files, or names that `tlsrig list scenarios` shows")
      ->required();
  command
      ->add_option("--variant", options->variants,
                   "NAME=PLUGIN:DIR: a name that the files may use as a backend; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("-B,--backend-path", options->backend_places, "A plugin, or a directory of plugins; may be repeated")
      ->allow_extra_args(false);
  command->callback([&action, options] { action = [options] { return validate(*options); }; });
}

}  // namespace tlsrig::cli
