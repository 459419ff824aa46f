// Level-triggered epoll(7), thin: an event names what it belongs to by a pointer.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>

#include <sys/epoll.h>

#include <tlsrig/net/fd.hpp>

namespace tlsrig::net {

class Epoll {
 public:
  // Throws std::system_error.
  Epoll();

  // Watches fd for `events` (EPOLLIN, EPOLLOUT...); each event carries `owner`. Throw std::system_error.
  void add(int fd, std::uint32_t events, void* owner);
  void modify(int fd, std::uint32_t events, void* owner);
  void remove(int fd);

  // Waits up to timeout_ms (-1: without end) and returns how many events there are: 0 after the time or a signal.
  // Throws std::system_error.
  int wait(std::span<epoll_event> events, int timeout_ms) {
    const int count = ::epoll_wait(fd_.get(), events.data(), static_cast<int>(events.size()), timeout_ms);
    if (count >= 0) [[likely]]
      return count;
    if (errno == EINTR) return 0;
    fail("epoll_wait");
  }

 private:
  [[noreturn]] static void fail(const char* call);
  void control(int operation, int fd, std::uint32_t events, void* owner);

  Fd fd_;
};

}  // namespace tlsrig::net
