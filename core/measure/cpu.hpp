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

CpuUse operator-(const CpuUse& later, const CpuUse& earlier);
CpuUse& operator+=(CpuUse& sum, const CpuUse& more);

}  // namespace tlsrig::measure
