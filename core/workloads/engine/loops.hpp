// The loops that are measured.
#pragma once

#include <cstdint>

#include <tlsrig/scenario/settings.hpp>
#include <tlsrig/workloads/engine/lane.hpp>

namespace tlsrig::workloads {

// Operations that one lane counted, and the time that they took.
struct LaneCount {
  std::uint64_t operations = 0;
  std::int64_t ns = 0;
  std::int64_t excluded_cpu_ns = 0;
  double client_share = 0;  // of that time: 0 to 1; the rest is the server's
};

// Repeats an operation until end_ns, and at least 20 times. Throws what the operation throws.
LaneCount run_lane(Lane& lane, scenario::Operation operation, Buffers buffers, std::int64_t end_ns);

}  // namespace tlsrig::workloads
