// What was probably meant where the command line has no command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tlsrig::cli {

// A sentence with the nearest command, or with `tlsrig run NAME` for the name of a scenario; empty when the first word
// is a command or there is none.
std::string command_hint(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace tlsrig::cli
