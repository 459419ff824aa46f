// CLOCK_MONOTONIC in nanoseconds: the one clock that all workers of a run share.
#pragma once

#include <cstdint>
#include <ctime>

namespace tlsrig::measure {

inline std::int64_t now_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Sleeps until the clock shows `ns`; returns at once when it is past.
void sleep_until_ns(std::int64_t ns) noexcept;

}  // namespace tlsrig::measure
