// When a loop that may never wait looks at the clock: after as many calls as take some 10 microseconds, found out as it
// goes. A fixed number of calls or bytes would let a slow library run on beyond the end of a slice, and be counted for
// it: 128 KiB are 40 microseconds of one library's time and a millisecond of another's.
#pragma once

#include <cstdint>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::workloads {

class ClockLook {
 public:
  // Once per call of the library.
  bool due() noexcept { return --calls_left_ == 0; }

  // Looks, and settles when it is due again.
  std::int64_t now() noexcept {
    const std::int64_t now_ns = measure::now_ns();
    const std::int64_t elapsed_ns = now_ns - last_ns_;
    last_ns_ = now_ns;
    if (elapsed_ns > longest_ns && calls_ > 1)
      calls_ /= 2;
    else if (elapsed_ns < longest_ns / 2 && calls_ < calls_max)
      calls_ *= 2;
    calls_left_ = calls_;
    return now_ns;
  }

 private:
  static constexpr std::int64_t longest_ns = 16'000;
  static constexpr std::uint32_t calls_max = 1024;

  std::int64_t last_ns_ = 0;
  std::uint32_t calls_ = 16, calls_left_ = 1;
};

}  // namespace tlsrig::workloads
