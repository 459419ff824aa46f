// What the command line of `tlsrig run` may say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/cli/exports.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace CLI {
class App;
}

namespace tlsrig::cli {

struct RunOptions {
  std::vector<std::string> files, backends, backend_places, settings, matrix, variants;
  std::string baseline, filter, directory, colour = "auto";
  std::string blocks, seed, precision, time_limit;
  bool quick = false, dry_run = false, quiet = false, verbose = false, in_process = false, strict = false;
  Exports exports;
};

// Puts every flag of the command into `command`; they write into `options`, which has to outlive it.
void add_options(CLI::App& command, RunOptions& options);

// What they say over the scenario files. Throws Unusable with the flag.
scenario::Overrides overrides_from(const RunOptions& options);

// --time-limit in nanoseconds; empty: none. Throws Unusable with the flag.
std::optional<std::int64_t> time_limit_of(const RunOptions& options);

}  // namespace tlsrig::cli
