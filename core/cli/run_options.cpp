// The flags of `tlsrig run`.
#include <tlsrig/cli/run_options.hpp>

#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/flag_values.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::cli {

namespace {

// Said of the flag, not of the key that it stands for.
void require_precision(const std::string& text) {
  constexpr double least = 0.0001, most = 1;
  const auto share = scenario::parse_percent(text);
  if (!share || *share < least || *share > most)
    throw Unusable(
        fmt::format("--precision: found \"{}\"; allowed: a percentage from 0.01% to 100%, such as 0.5%", text));
}

}  // namespace

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
  if (!options.precision.empty()) {
    require_precision(options.precision);
    overrides.settings.emplace_back("measure.target_precision", options.precision);
  }
  if (options.in_process) overrides.settings.emplace_back("measure.self_check", "false");  // a twin is a second arm
  return overrides;
}

std::optional<std::int64_t> time_limit_of(const RunOptions& options) {
  using scenario::QuantityKind;
  if (options.time_limit.empty()) return std::nullopt;
  constexpr std::uint64_t second = 1'000'000'000, most = 7 * 24 * 3600 * second;
  const auto limit = scenario::parse_quantity(QuantityKind::duration, options.time_limit);
  if (limit.fault == scenario::Quantity::Fault::none && limit.value >= second && limit.value <= most)
    return static_cast<std::int64_t>(limit.value);
  const std::string guess = scenario::guess_quantity(QuantityKind::duration, options.time_limit);
  throw Unusable(fmt::format("--time-limit: found \"{}\"; allowed: a duration from 1s to {} (in {}){}",
                             options.time_limit, scenario::format_quantity(QuantityKind::duration, most),
                             scenario::units_text(QuantityKind::duration),
                             guess.empty() ? "" : fmt::format("; did you mean \"{}\"?", guess)));
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
  command.add_option("-r,--blocks", options.blocks, "Exactly this many blocks, whatever the precision");
  command.add_option("--precision", options.precision,
                     "A cell ends when its ratios are known this well, such as 0.5%: measure.target_precision");
  command.add_option("--time-limit", options.time_limit,
                     "Be over after this time, such as 10min: shared out among the cells, never below their fewest "
                     "blocks");
  command.add_flag("--quick", options.quick, "Few and short blocks: for a first look, marked in the result");
  command.add_flag("--strict", options.strict,
                   "Exit 4 when a verdict is inconclusive, A/A is not resolved, or a threshold is not judged");
  command.add_flag("--in-process", options.in_process,
                   "Run one arm in this process, its roles as threads: for perf, gdb and sanitizers");
  command.add_flag("--dry-run", options.dry_run, "Show cells, arms and the time they would take; run nothing");
  command.add_option("--seed", options.seed,
                     "Seed of orders and placements; 0: one is drawn, as without it, and recorded");
  command.add_option("-o,--output", options.directory, "Directory of the results (default: results/TIME-NAME)")
      ->check([](const std::string& name) { return std::string(name.empty() ? "the directory's name is empty" : ""); });
  add_export_options(command, options.exports);
  command
      .add_option("-B,--backend-path", options.backend_places, "A plugin, or a directory of plugins; may be repeated")
      ->allow_extra_args(false);
  add_colour_option(command, options.colour);
  command.add_flag("-q,--quiet", options.quiet, "Errors alone on standard error: no progress, no warnings");
  command.add_flag("-v,--verbose", options.verbose, "More in the report: counts, placements, files passed over");
}

}  // namespace tlsrig::cli
