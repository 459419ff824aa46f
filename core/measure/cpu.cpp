// CPU time of this process, from getrusage(2).
#include <tlsrig/measure/cpu.hpp>

#include <sys/resource.h>

namespace tlsrig::measure {

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

CpuUse process_cpu_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

CpuUse operator-(const CpuUse& later, const CpuUse& earlier) {
  return {later.user_seconds - earlier.user_seconds, later.system_seconds - earlier.system_seconds,
          later.involuntary_switches - earlier.involuntary_switches};
}

CpuUse& operator+=(CpuUse& sum, const CpuUse& more) {
  sum.user_seconds += more.user_seconds;
  sum.system_seconds += more.system_seconds;
  sum.involuntary_switches += more.involuntary_switches;
  return sum;
}

}  // namespace tlsrig::measure
