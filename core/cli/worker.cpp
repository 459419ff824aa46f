// The hidden command `worker`.
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/rig/fault_memory.hpp>
#include <tlsrig/rig/worker.hpp>

namespace tlsrig::cli {

void add_worker(CLI::App& app, Action& action) {
  CLI::App* worker = app.add_subcommand("worker", "Plays one role of one arm, as the rig asks on descriptor 3");
  worker->group("");  // not for people: left out of the help
  worker->callback([&action] {
    action = [] {
      rig::report_faults_through(4);
      return rig::run_worker(3);
    };
  });
}

}  // namespace tlsrig::cli
