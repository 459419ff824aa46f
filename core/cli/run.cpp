// `tlsrig run`: read everything, inspect every plugin, measure, report.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/descriptors.hpp>
#include <tlsrig/cli/dry_run.hpp>
#include <tlsrig/cli/flag_values.hpp>
#include <tlsrig/cli/in_process.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/progress.hpp>
#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/report/file.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/machine.hpp>
#include <tlsrig/rig/run.hpp>

namespace tlsrig::cli {

namespace {

struct RunOptions {
  std::vector<std::string> files, backends, backend_places, settings, matrix, variants;
  std::string baseline, filter, directory, export_json, colour = "auto";
  std::string blocks, seed;
  bool quick = false, dry_run = false, quiet = false, verbose = false, in_process = false;
  std::vector<std::string> command_line;
};

scenario::Overrides overrides_from(const RunOptions& options) {
  scenario::Overrides overrides;
  overrides.backends = options.backends;
  overrides.variants = options.variants;
  if (!options.baseline.empty()) overrides.baseline = options.baseline;
  for (const auto& setting : options.settings) overrides.settings.push_back(key_and_value("-s", setting));
  for (const auto& axis : options.matrix) {
    auto [key, values] = key_and_value("-P", axis);
    overrides.matrix.emplace_back(std::move(key), list_of_values(values));
  }
  overrides.blocks = number<std::uint32_t>("-r", options.blocks, 1, 1000);
  overrides.seed = number<std::uint64_t>("--seed", options.seed, 0, UINT64_MAX);
  if (!options.filter.empty()) overrides.filter = options.filter;
  overrides.quick = options.quick;
  if (options.in_process) overrides.settings.emplace_back("measure.self_check", "false");  // a twin is a second arm
  return overrides;
}

std::set<std::string> backends_of(const std::vector<scenario::ScenarioPlan>& plans) {
  std::set<std::string> names;
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells)
      for (const auto& arm : cell.arms) names.insert({arm.settings.client.backend, arm.settings.server.backend});
  return names;
}

// A variant of the command line that nobody runs is a mistake.
void require_variants_in_use(const std::vector<scenario::ScenarioPlan>& plans, const RunOptions& options) {
  const std::set<std::string> used = backends_of(plans);
  for (const auto& plan : plans) {
    for (const auto& variant : plan.variants) {
      if (!variant.by_flag || used.contains(variant.name)) continue;
      const std::string why = !options.backends.empty() ? fmt::format("name it in -b too: -b ...,{}", variant.name)
                              : !options.filter.empty() ? std::string("--filter leaves out its cells")
                                                        : fmt::format("none compares {}: say -b {},{}", variant.plugin,
                                                                      variant.plugin, variant.name);
      throw Unusable(fmt::format("--variant {}: no scenario of this run takes it; {}", variant.name, why));
    }
  }
}

// Two names for one build compare nothing, and look like a comparison.
void warn_of_same_builds(std::map<std::string, rig::InspectedBackend>& backends) {
  const auto build_ids = [](const rig::InspectedBackend& backend) {
    std::vector<std::string> ids;
    for (const auto& file : backend.record.files) ids.push_back(file.build_id);
    return ids;
  };
  for (auto& [name, variant] : backends) {
    if (!variant.record.variant) continue;
    for (const auto& [other, backend] : backends)
      if (other != name && backend.record.name == variant.record.name && build_ids(backend) == build_ids(variant))
        variant.record.warnings.push_back(fmt::format("the same build as {}: their build-ids are equal", other));
  }
}

// Inspects what the plans need. Throws Unusable when a backend that the command line names cannot be used, a variant
// that a file names is refused, or when no backend can be used.
std::map<std::string, rig::InspectedBackend> inspect_all(const std::vector<scenario::ScenarioPlan>& plans,
                                                         const Located& located, const RunOptions& options,
                                                         rig::LoadedBackends* in_process,
                                                         rig::Interruption& interruption) {
  std::map<std::string, rig::InspectedBackend> inspected;
  bool any_ready = false;
  std::string reasons;
  std::set<std::string> names = backends_of(plans);
  // Given by -B: to be usable even where no arm asks. In this process nothing is loaded that the arm does not run.
  if (!in_process) names.insert(located.named.begin(), located.named.end());
  for (const auto& name : names) {
    rig::InspectedBackend backend = inspect_backend(name, located, in_process, interruption);
    const auto variant = located.variants.find(name);
    const bool refused_variant = variant != located.variants.end() &&
                                 (variant->second.by_flag || backend.state == rig::InspectedBackend::State::refused);
    const bool asked = refused_variant || located.named.contains(name) ||
                       std::find(options.backends.begin(), options.backends.end(), name) != options.backends.end();
    if (backend.state != rig::InspectedBackend::State::ready) {
      reasons += fmt::format("\n  {}: {}", name, backend.reason);
      if (asked) throw Unusable(fmt::format("the backend {} cannot be used: {}", name, backend.reason));
    } else {
      any_ready = true;
    }
    inspected.emplace(name, std::move(backend));
  }
  if (!any_ready) throw Unusable("no backend can be used:" + reasons);
  warn_of_same_builds(inspected);
  return inspected;
}

// The seed that the scenarios ask for (--seed has become theirs), else one that is drawn.
std::uint64_t seed_of(const std::vector<scenario::ScenarioPlan>& plans) {
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells)
      if (const auto seed = cell.arms.front().settings.measure.seed) return seed;
  std::uint32_t drawn = 0;  // short enough to be typed again
  while (drawn == 0 && ::getrandom(&drawn, sizeof drawn, 0) == sizeof drawn) {
  }
  return drawn;
}

report::Result result_head(const rig::RunPlan& plan, const RunOptions& options) {
  report::Result result;
  result.version = TLSRIG_VERSION;
  result.command = options.command_line;
  result.seed = plan.seed;
  result.in_process = options.in_process;
  result.machine = rig::machine_record();
  for (const auto& scenario : plan.scenarios)
    result.scenarios.push_back({scenario.name, scenario.file.string(), scenario.effective});
  for (const auto& [name, backend] : plan.backends)
    if (backend.state == rig::InspectedBackend::State::ready) result.backends.push_back(backend.record);
  return result;
}

// Certificates are made before the first cell, so that a missing command ends the run before anything is measured.
void ensure_credentials(const std::vector<scenario::ScenarioPlan>& plans) {
  std::set<std::string> kinds;
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells)
      for (const auto& arm : cell.arms)
        if (!arm.settings.tls.certificate.empty() && arm.backend != "plaintcp")
          kinds.insert(arm.settings.tls.certificate);
  for (const auto& kind : kinds) credentials::ensure(kind);
}

int status_of(const report::Result& result, bool lost) {
  bool all_unsupported = true, any_failed = false;
  for (const auto& cell : result.cells) {
    for (const auto& arm : cell.arms) {
      any_failed = any_failed || arm.status == report::Status::failed;
      all_unsupported = all_unsupported && arm.status == report::Status::unsupported;
    }
  }
  if (lost || any_failed) return exit_status::incomplete;
  return all_unsupported ? exit_status::unsupported : exit_status::done;
}

// Where a result is saved when none of the places asked for could take it whole.
std::string save_elsewhere(const report::Result& result) {
  std::error_code error;
  const auto file = std::filesystem::temp_directory_path(error) / fmt::format("tlsrig-{}.json", ::getpid());
  try {
    report::write_atomically(file, result);
  } catch (const std::system_error& failure) {
    return fmt::format("and it could not be saved elsewhere: {}", failure.what());
  }
  return fmt::format("what was measured is in {}", file.string());
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

int measure(const rig::RunPlan& plan, const RunOptions& options, const std::string& name,
            rig::Interruption& interruption) {
  report::Result result = result_head(plan, options);
  std::vector<std::filesystem::path> files{
      make_result_directory(options.directory.empty() ? std::nullopt : std::optional(options.directory), name) /
      "result.json"};
  const bool json_to_stdout = options.export_json == "-";
  if (!options.export_json.empty() && !json_to_stdout) files.push_back(options.export_json);

  int signal = 0;
  std::vector<std::string> errors;
  {
    Progress progress(files, options.quiet);
    try {
      signal = rig::run(plan, result, interruption, progress);
    } catch (const std::exception& error) {
      errors.push_back(error.what());  // whatever it was, what has been measured is told and kept
    }
    errors.insert(errors.end(), progress.save_errors().begin(), progress.save_errors().end());
  }
  const report::TextOptions text{use_colour(options.colour, STDOUT_FILENO), options.verbose, columns(STDOUT_FILENO)};
  bool printed = print(json_to_stdout ? report::to_json_text(result) : report::to_text(result, text));
  for (const auto& error : errors) std::fprintf(stderr, "tlsrig: %s\n", error.c_str());
  if (!errors.empty())
    std::fprintf(stderr, "tlsrig: %s\n", save_elsewhere(result).c_str());
  else if (!options.quiet)
    std::fprintf(stderr, "Result: %s\n", files.front().c_str());
  if (!printed) std::fputs("tlsrig: the report could not be written to standard output\n", stderr);
  if (signal) return exit_status::by_signal(signal);
  return status_of(result, !errors.empty() || !printed);
}

// What the one arm's process needs its loader to be told.
std::string library_path_of(const std::vector<scenario::ScenarioPlan>& plans, const Located& located) {
  std::vector<rig::PluginSource> sources;
  for (const auto& name : backends_of(plans))
    if (const auto variant = located.variants.find(name); variant != located.variants.end())
      sources.push_back({"", variant->second.library_directory.string(), variant->second.plugin, {}});
  return rig::library_path(sources);
}

int run_scenarios(const RunOptions& options) {
  Located located = locate_backends(options.backend_places);
  for (const auto& note : located.notes)
    if (options.verbose || note.concerns_backend) std::fprintf(stderr, "passed over: %s\n", note.text.c_str());
  const auto overrides = overrides_from(options);
  rig::RunPlan plan;
  plan.scenarios = read_scenarios(options.files, overrides, located.known());
  located.variants = variants_of(plan.scenarios);
  require_variants_in_use(plan.scenarios, options);
  if (options.in_process) require_one_arm(plan.scenarios);
  plan.seed = seed_of(plan.scenarios);
  if (options.dry_run) {
    return print(describe_plan(plan.scenarios, plan.seed)) ? exit_status::done : exit_status::unusable;
  }
  if (options.in_process) ensure_library_path(library_path_of(plan.scenarios, located), options.command_line);
  if (!options.export_json.empty() && options.export_json != "-") report::require_writable(options.export_json);
  ensure_descriptors(plan.scenarios, options.in_process);
  rig::LoadedBackends loaded;
  if (options.in_process) plan.in_process = &loaded;
  rig::Interruption interruption(options.in_process ? rig::Signals::as_usual : rig::Signals::held_back);
  plan.backends = inspect_all(plan.scenarios, located, options, plan.in_process, interruption);
  ensure_credentials(plan.scenarios);
  std::string name;
  for (const auto& scenario : plan.scenarios) name += (name.empty() ? "" : "+") + scenario.name;
  return measure(plan, options, name, interruption);
}

void add_options(CLI::App& command, RunOptions& options) {
  command.add_option("SCENARIO", options.files, "Scenario files, or names that `tlsrig list scenarios` shows")
      ->required();
  command.add_option("-b,--backends", options.backends, "Backends instead of the scenario's, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option(
          "--variant", options.variants,
          "NAME=PLUGIN:DIR: PLUGIN on the library files of DIR, as another backend called NAME; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--baseline", options.baseline, "What the others are compared with");
  command.add_option("--filter", options.filter, "Only cells whose id matches this regular expression");
  command
      .add_option("-P,--parameter", options.matrix,
                  "KEY=V1,V2: one more axis of the matrix, or one replaced; values with commas in quotes")
      ->allow_extra_args(false);
  command.add_option("-s,--set", options.settings, "KEY=VALUE: a key of the scenario set anew")
      ->allow_extra_args(false);
  command.add_option("-r,--blocks", options.blocks, "Exactly this many blocks");
  command.add_flag("--quick", options.quick, "Few and short blocks: for a first look, marked in the result");
  command.add_flag("--in-process", options.in_process,
                   "Run one arm in this process, its roles as threads: for perf, gdb and sanitizers");
  command.add_flag("--dry-run", options.dry_run, "Show cells, arms and the time they would take; run nothing");
  command.add_option("--seed", options.seed,
                     "Seed of orders and placements; 0: one is drawn, as without it, and recorded");
  command.add_option("-o,--output", options.directory, "Directory of the results (default: results/TIME-NAME)");
  command.add_option("--export-json", options.export_json, "Write the result there as well; - is standard output");
  command
      .add_option("-B,--backend-path", options.backend_places, "A plugin, or a directory of plugins; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--color", options.colour, "Colour: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command.add_flag("-q,--quiet", options.quiet, "No progress on standard error");
  command.add_flag("-v,--verbose", options.verbose, "More in the report: counts, placements, files passed over");
}

}  // namespace

void add_run(CLI::App& app, Action& action, const std::vector<std::string>& command_line) {
  const auto options = std::make_shared<RunOptions>();
  options->command_line = command_line;
  CLI::App* command = app.add_subcommand("run", "Runs scenarios and compares the backends in one report");
  add_options(*command, *options);
  command->callback([&action, options] { action = [options] { return run_scenarios(*options); }; });
}

}  // namespace tlsrig::cli
