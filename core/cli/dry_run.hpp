// What a run would do, in words.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// A line per cell and arm, and how long the measuring takes at least and at most.
std::string describe_plan(const std::vector<scenario::ScenarioPlan>& plans, std::uint64_t seed);

}  // namespace tlsrig::cli
