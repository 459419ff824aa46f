// The scenario files that come with tlsrig, and how an argument names one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// Where scenario files are looked for: ./scenarios, then beside the program (its source or install tree).
std::vector<std::filesystem::path> scenario_directories();

// The file that an argument stands for: a path, or the name of a file in scenario_directories() without ".toml". An
// argument that names nothing is given back as it is: reading it tells what is wrong.
std::filesystem::path find_scenario(const std::string& argument);

// Reads scenario files. Prints every fault of all files to stderr and throws Unusable when there is one, or when two
// files bear one name.
std::vector<scenario::ScenarioPlan> read_scenarios(const std::vector<std::string>& arguments,
                                                   const scenario::Overrides& overrides,
                                                   const scenario::KnownBackends& known);

}  // namespace tlsrig::cli
