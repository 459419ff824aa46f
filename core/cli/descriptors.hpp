// Whether what is to be done fits into the limit on descriptors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// Raises the soft limit as far as the plan needs; workers inherit it. Throws Unusable with need and limits when the
// hard limit is too low. in_process: all roles share this process.
void ensure_descriptors(const std::vector<scenario::ScenarioPlan>& plans, bool in_process);

// Raises the soft limit to what `who` ("the steps") needs in one process; children inherit it. Throws Unusable with
// need, limits and the cure when the hard limit is too low. otherwise: a cure beside a higher limit, as in " or ask for
// less".
void ensure_descriptors(std::uint64_t need, const std::string& who, const std::string& otherwise = {});

}  // namespace tlsrig::cli
