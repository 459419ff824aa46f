// Waiting for the next connection, with an eye on what says that none will come: a peer that is gone closes those that
// it has, a rig that is gone its end of the control descriptor.
#pragma once

#include <cstdint>

#include <tlsrig/net/epoll.hpp>
#include <tlsrig/net/socket.hpp>

namespace tlsrig::workloads {

class Arrivals {
 public:
  // The listener outlives it.
  Arrivals(net::Listener& listener, int control_fd);

  // A connection that was taken in: its end says that its peer is gone.
  void watch(int fd);

  // The next connection, as soon as it comes. `done` of `asked` are there. Throws StepError when none will come.
  net::Fd next(std::uint32_t done, std::uint32_t asked);

 private:
  net::Listener& listener_;
  net::Epoll epoll_;
};

}  // namespace tlsrig::workloads
