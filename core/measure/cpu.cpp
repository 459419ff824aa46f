// CPU time of this process, from getrusage(2).
#include <tlsrig/measure/cpu.hpp>

#include <sys/resource.h>

#include <ctime>

namespace tlsrig::measure {

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

CpuUse cpu_use_of(int who) {
  rusage usage{};
  getrusage(static_cast<__rusage_who_t>(who), &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

}  // namespace

CpuUse process_cpu_use() { return cpu_use_of(RUSAGE_SELF); }

CpuUse thread_cpu_use() { return cpu_use_of(RUSAGE_THREAD); }

std::int64_t thread_cpu_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

CpuUse operator-(const CpuUse& later, const CpuUse& earlier) {
  return {later.user_seconds - earlier.user_seconds, later.system_seconds - earlier.system_seconds,
          later.involuntary_switches - earlier.involuntary_switches};
}

}  // namespace tlsrig::measure
