// Whether a plan's sockets fit into the limit on descriptors.
#pragma once

#include <cstdint>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// Raises the soft limit as far as the plan needs; workers inherit it. Throws Unusable with need and limits when the
// hard limit is too low. in_process: all roles share this process.
void ensure_descriptors(const std::vector<scenario::ScenarioPlan>& plans, bool in_process);

}  // namespace tlsrig::cli
