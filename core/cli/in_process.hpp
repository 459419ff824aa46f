// `run --in-process`: one arm in the program's own process, for debuggers and profilers.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// Throws Unusable unless the plans have one arm in one cell; it names the arms and says how to choose.
void require_one_arm(const std::vector<scenario::ScenarioPlan>& plans);

// Starts the program anew, in this same process, when its loader has not been told to look into these directories first
// (separated by colons; empty: none): it reads LD_LIBRARY_PATH at the start only. Debuggers and profilers follow.
// Throws Unusable when that cannot be done; returns when there is no need.
void ensure_library_path(const std::string& directories, const std::vector<std::string>& command_line);

}  // namespace tlsrig::cli
