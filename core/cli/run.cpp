// `tlsrig run`: read everything, inspect every plugin, measure, report. Its flags are in run_options.cpp.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/descriptors.hpp>
#include <tlsrig/cli/dry_run.hpp>
#include <tlsrig/cli/environment.hpp>
#include <tlsrig/cli/in_process.hpp>
#include <tlsrig/cli/load_warning.hpp>
#include <tlsrig/cli/outcome.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/progress.hpp>
#include <tlsrig/cli/run_options.hpp>
#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/judge/thresholds.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/report/file/file.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/machine.hpp>
#include <tlsrig/rig/run.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::cli {

namespace {

std::set<std::string> backends_of(const std::vector<scenario::ScenarioPlan>& plans) {
  std::set<std::string> names;
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells)
      for (const auto& arm : cell.arms)
        for (const auto& part : scenario::parts_of(arm.settings)) names.insert(part.backend);
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
  return drawn_seed();
}

report::Result result_head(const rig::RunPlan& plan, const RunOptions& options, const CommandLine& command_line) {
  report::Result result;
  result.version = TLSRIG_VERSION;
  result.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  result.command = repeatable(command_line);
  result.quick = options.quick;
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
  std::set<std::pair<std::string, std::uint32_t>> sets;  // kind, trust anchors
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells)
      for (const auto& arm : cell.arms)
        if (!arm.settings.tls.certificate.empty() && arm.backend != scenario::plain_backend)
          sets.emplace(arm.settings.tls.certificate, arm.settings.engine.trust_anchors);
  for (const auto& [kind, trust_anchors] : sets) credentials::ensure(kind, trust_anchors);
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

// What a run writes in any case. The name of a directory of its own making is nobody's to name beforehand.
std::vector<TakenFile> own_files(const RunOptions& options) {
  if (options.directory.empty()) return {};
  const std::filesystem::path directory(options.directory);
  return {{directory / "result.json", "the run saves its result there anyway (-o)"},
          {directory / "report.html", "the run writes its page there anyway (-o)"}};
}

// How a run ended, apart from what it measured.
struct Ending {
  int signal = 0;                   // that ended it early; 0: none
  bool result_saved = true;         // result.json holds all of it
  std::vector<std::string> errors;  // what could not be measured or written
};

Ending run_and_save(const rig::RunPlan& plan, const RunOptions& options,
                    const std::vector<std::filesystem::path>& files, rig::Interruption& interruption,
                    report::Result& result) {
  Ending ending;
  Progress progress(plan, files, {options.quiet, use_colour(options.colour, STDERR_FILENO)});
  try {
    ending.signal = rig::run(plan, result, interruption, progress);
  } catch (const std::exception& error) {
    ending.errors.push_back(error.what());  // whatever it was, what has been measured is told and kept
  }
  result.thresholds = judge::judge_thresholds(plan.scenarios, result);
  // More than the last cell's end has saved: thresholds, cells that a signal left out, or nothing yet.
  if (!result.thresholds.empty() || ending.signal || !ending.errors.empty()) progress.save(result);
  ending.result_saved = progress.saved(files.front());
  for (const auto& [file, error] : progress.save_errors()) ending.errors.push_back(error);
  return ending;
}

// The report, or what an export puts in its place. False when it could not be made or written.
bool show(const report::Result& result, const RunOptions& options) {
  try {
    const report::TextOptions text{use_colour(options.colour, STDOUT_FILENO), options.verbose, columns(STDOUT_FILENO)};
    const auto exported = text_for_stdout(options.exports, result);
    return print(exported ? *exported : report::to_text(result, text));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tlsrig: the report could not be made: %s\n", error.what());
    return false;
  }
}

int measure(const rig::RunPlan& plan, const RunOptions& options, const CommandLine& command_line,
            rig::Interruption& interruption) {
  report::Result result = result_head(plan, options, command_line);
  std::string name;
  for (const auto& scenario : plan.scenarios) name += (name.empty() ? "" : "+") + scenario.name;
  const auto directory =
      make_result_directory(options.directory.empty() ? std::nullopt : std::optional(options.directory), name);
  std::vector<std::filesystem::path> files{directory / "result.json"};
  if (!options.exports.json.empty() && options.exports.json != "-") files.push_back(options.exports.json);
  if (const std::string busy = load_warning(); !busy.empty() && !options.quiet)
    std::fprintf(stderr, "tlsrig: warning: %s\n", busy.c_str());

  Ending ending = run_and_save(plan, options, files, interruption, result);
  auto& errors = ending.errors;
  const auto page_errors = write_page(directory / "report.html", result);
  errors.insert(errors.end(), page_errors.begin(), page_errors.end());
  for (auto& error : write_exports(options.exports, result, ExportJson::saved_already))
    errors.push_back(std::move(error));
  const bool shown = show(result, options);
  for (const auto& error : errors) std::fprintf(stderr, "tlsrig: %s\n", error.c_str());
  if (!ending.result_saved)
    std::fprintf(stderr, "tlsrig: %s\n", save_elsewhere(result).c_str());
  else if (!options.quiet || !errors.empty())
    std::fprintf(stderr, "Result: %s%s\n", files.front().c_str(),
                 page_errors.empty() ? fmt::format(", page: {}", (directory / "report.html").string()).c_str() : "");
  if (ending.signal) return exit_status::by_signal(ending.signal);
  const Outcome outcome = outcome_of(result, !errors.empty() || !shown, options.strict);
  for (const auto& reason : outcome.why) std::fprintf(stderr, "tlsrig: %s\n", reason.c_str());
  return outcome.status;
}

// What the one arm's process needs its loader to be told.
std::string library_path_of(const std::vector<scenario::ScenarioPlan>& plans, const Located& located) {
  std::vector<rig::PluginSource> sources;
  for (const auto& name : backends_of(plans))
    if (const auto variant = located.variants.find(name); variant != located.variants.end())
      sources.push_back({"", variant->second.library_directory.string(), variant->second.plugin, {}});
  return rig::library_path(sources);
}

int run_scenarios(const RunOptions& options, const CommandLine& command_line) {
  const std::int64_t begun_ns = measure::now_ns();
  const auto limit_ns = time_limit_of(options);
  Located located = locate_backends(options.backend_places);
  for (const auto& note : notes_to_tell(located, options.verbose, options.backends))
    if (!options.quiet) std::fprintf(stderr, "%s\n", note.c_str());
  const auto overrides = overrides_from(options);
  rig::RunPlan plan;
  plan.scenarios = read_scenarios(options.files, overrides, located.known());
  located.variants = variants_of(plan.scenarios);
  require_variants_in_use(plan.scenarios, options);
  if (options.in_process) require_one_arm(plan.scenarios);
  plan.seed = seed_of(plan.scenarios);
  if (options.dry_run) {
    if (!print(describe_plan(plan.scenarios, plan.seed, limit_ns))) return exit_status::unusable;
    if (limit_ns) require_fit(plan.scenarios, *limit_ns);
    return exit_status::done;
  }
  if (limit_ns) {
    require_fit(plan.scenarios, *limit_ns);
    plan.limit = rig::TimeLimit{begun_ns + *limit_ns, options.time_limit};
  }
  if (options.in_process) ensure_library_path(library_path_of(plan.scenarios, located), command_line.arguments);
  require_usable(options.exports, own_files(options));
  ensure_descriptors(plan.scenarios, options.in_process);
  rig::LoadedBackends loaded;
  if (options.in_process) plan.in_process = &loaded;
  rig::Interruption interruption(options.in_process ? rig::Signals::as_usual : rig::Signals::held_back);
  plan.backends = inspect_all(plan.scenarios, located, options, plan.in_process, interruption);
  ensure_credentials(plan.scenarios);
  return measure(plan, options, command_line, interruption);
}

}  // namespace

void add_run(CLI::App& app, Action& action, const CommandLine& command_line) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Runs scenarios and compares the backends in one report");
  add_options(*command, *options);
  command->footer(
      "Exit status, the first that applies: 128+n ended by signal n; 2 nothing was measured; 3 measured, but an arm "
      "failed or is incomplete, or a result could not be written; 77 every arm is unsupported; 1 a threshold is not "
      "held; 4 with --strict, undecided; 0 done.");
  command->callback([&action, &command_line, options] {
    action = [&command_line, options] { return run_scenarios(*options, command_line); };
  });
}

}  // namespace tlsrig::cli
