// CPU time of this process.
#pragma once

#include <cstdint>

namespace tlsrig::measure {

struct CpuUse {
  double user_seconds = 0, system_seconds = 0;
  std::uint64_t involuntary_switches = 0;
};

// All threads of this process, since its start (getrusage(2)).
CpuUse process_cpu_use();

// The calling thread, since its start.
CpuUse thread_cpu_use();

// CPU time of the calling thread in nanoseconds, exact at the instant of the call, which getrusage(2) is not. A system
// call: not for hot paths.
std::int64_t thread_cpu_ns() noexcept;

CpuUse operator-(const CpuUse& later, const CpuUse& earlier);

}  // namespace tlsrig::measure
