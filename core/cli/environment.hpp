// Flags by way of the environment: --dry-run is TLSRIG_DRY_RUN too, and so is every flag of every command. A flag on
// the command line wins.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tlsrig::cli {

// A flag that a variable has set.
struct Setting {
  std::string variable, value, flag;  // flag: as it is spelled on the command line, "-r"
};

struct CommandLine {
  std::vector<std::string> arguments;  // the program's own, its name first
  std::vector<Setting> variables;      // those in force: set, not empty, and not overruled by a flag
};

// "backend-path" as "TLSRIG_BACKEND_PATH".
std::string variable_of(const std::string& long_name);

// Names the variable of every flag in the help of its command.
void name_variables(CLI::App& app);

// Parses `line.arguments` and fills `line.variables`. Of the variables a flag that may be repeated has a value per
// line; a flag without value is on by 1, true, yes or on, off by 0, false, no or off. TLSRIG_BACKEND_PATH keeps its
// meaning of a search path: its plugins are not asked for by name, as those of --backend-path are. Throws
// CLI::ParseError for the command line, Unusable with the variable for a variable.
void parse(CLI::App& app, CommandLine& line);

// A line for each TLSRIG_ variable that no command knows, with the nearest that one does.
std::vector<std::string> unknown_variables(const CLI::App& app);

// The command that does the same with nothing in the environment: "env TLSRIG_QUICK=1 tlsrig run ...".
std::vector<std::string> repeatable(const CommandLine& line);

}  // namespace tlsrig::cli
