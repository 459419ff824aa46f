// Waiting for connections.
#include <tlsrig/workloads/sockets/arrivals.hpp>

#include <array>

#include <fmt/format.h>

#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

Arrivals::Arrivals(net::Listener& listener, int control_fd) : listener_(listener) {
  epoll_.add(listener.fd(), EPOLLIN, &listener_);
  epoll_.add(control_fd, 0, nullptr);  // for its hang-up alone
}

void Arrivals::watch(int fd) { epoll_.add(fd, EPOLLRDHUP, nullptr); }

net::Fd Arrivals::next(std::uint32_t done, std::uint32_t asked) {
  for (;;) {
    if (net::Fd fd = listener_.accept()) return fd;
    std::array<epoll_event, 1> event;
    if (epoll_.wait(event, -1) == 1 && event[0].data.ptr == nullptr)
      throw StepError("truncated",
                      fmt::format("connect: the peer or the rig is gone; {} of {} connections were made", done, asked));
  }
}

}  // namespace tlsrig::workloads
