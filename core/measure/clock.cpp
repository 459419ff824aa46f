// Sleeping until an instant of CLOCK_MONOTONIC.
#include <tlsrig/measure/clock.hpp>

#include <cerrno>

namespace tlsrig::measure {

void sleep_until_ns(std::int64_t ns) noexcept {
  timespec until{};
  until.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  until.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  // An absolute sleep: one that a signal interrupts goes on to the same instant.
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace tlsrig::measure
