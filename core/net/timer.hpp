// An alarm of CLOCK_MONOTONIC as a descriptor: the end of an interval arrives as one more event of an epoll set, so it
// costs nothing per message. (epoll_pwait2 with a deadline would arm a kernel timer at every wait that blocks.)
#pragma once

#include <cstdint>

#include <tlsrig/net/fd.hpp>

namespace tlsrig::net {

class Timer {
 public:
  // Throws std::system_error.
  Timer();

  // Readable from this instant on, at once when it is past, until set or disarmed again. Throw std::system_error.
  void set(std::int64_t ns);
  void disarm();

  int fd() const { return fd_.get(); }

 private:
  Fd fd_;
};

}  // namespace tlsrig::net
