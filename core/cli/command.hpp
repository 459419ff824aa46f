// The commands of the program. Each adds itself to the command line and, when it is the chosen one, leaves what to do
// in `action`: parsing comes first and whole, then one action runs. Its int is the program's exit status.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tlsrig::cli {

struct CommandLine;  // environment.hpp

using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action, const CommandLine& command_line);  // read when the action runs
void add_report(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_worker(CLI::App& app, Action& action);  // hidden: what the rig starts for each role

// Exit statuses, in the order in which they apply.
namespace exit_status {
inline constexpr int done = 0;
inline constexpr int wanting = 1;       // judged and found wanting: a threshold is not held, compare found worse, check a fault
inline constexpr int unusable = 2;      // nothing was measured: usage, scenario, output, descriptors, a plugin
inline constexpr int incomplete = 3;    // measured, but an arm failed or a result could not be written
inline constexpr int undecided = 4;     // --strict: inconclusive, A/A not resolved, a threshold not judged
inline constexpr int unsupported = 77;  // every arm is unsupported
constexpr int by_signal(int signal) { return 128 + signal; }
}  // namespace exit_status

// What ends a command with exit 2 and its words on stderr.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tlsrig::cli
