// Where results go. All of it is tried before anything is measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace tlsrig::cli {

// Makes the directory of a run's results: `asked` when given (made with its parents, may exist), else
// results/<UTC time>-<name> in the working directory, with a number behind it when that is taken. Throws Unusable, with
// the path and the reason, when it cannot be made or not be written into.
std::filesystem::path make_result_directory(const std::optional<std::string>& asked, const std::string& name);

// --color of a command; `when` has its default, and outlives the command.
void add_colour_option(CLI::App& command, std::string& when);

// Whether text may be coloured: `when` is auto, always or never; auto: the descriptor is a terminal and NO_COLOR is not
// set.
bool use_colour(const std::string& when, int descriptor);

// Columns of the terminal behind the descriptor; 120 when it is none.
unsigned columns(int descriptor);

// To standard output, whole. False when it cannot be written, which stderr has been told then.
bool print(const std::string& text);

}  // namespace tlsrig::cli
