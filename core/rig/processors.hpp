// Which processors the roles of an arm run on in a block. Without this the scheduler gives each process of a block a
// processor of its own choosing, on which it then stays: two equal arms differ by what their processors differ by
// (seen with one neighbour on the host: intervals five times as wide).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::rig {

// For each role as many of the allowed processors as it has threads, none twice, drawn from the block's seed: the same
// for arms of as many threads, and for others as far as they go. Where they do not suffice for all, a relay gets its
// own and the roles around it share the rest: it is what such a cell is about. Empty when the scenario leaves the
// choice to the system, and where there are too few even for that; then the caller leaves all arms of the block to it
// alike.
std::map<std::string, std::vector<unsigned>> processors_of(const scenario::Settings& settings,
                                                           std::span<const unsigned> allowed, std::uint64_t seed);

}  // namespace tlsrig::rig
