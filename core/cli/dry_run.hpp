// What a run would do, in words, and how long it would take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/rig/pace.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// The measuring of all cells, with their fewest and their most blocks.
rig::Span expected_time(const std::vector<scenario::ScenarioPlan>& plans);

// A line per cell and arm, and how long the measuring takes at least and at most, a limit on it included.
std::string describe_plan(const std::vector<scenario::ScenarioPlan>& plans, std::uint64_t seed,
                          std::optional<std::int64_t> limit_ns);

// Throws Unusable with the expected time when even the fewest blocks of all cells do not fit into the limit.
void require_fit(const std::vector<scenario::ScenarioPlan>& plans, std::int64_t limit_ns);

}  // namespace tlsrig::cli
