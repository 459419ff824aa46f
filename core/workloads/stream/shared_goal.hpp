// Payload bytes that the loops of one role are to move together: each says what it has moved, and all are told, by a
// descriptor, when it is enough.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <sys/eventfd.h>

#include <tlsrig/net/fd.hpp>

namespace tlsrig::workloads {

class SharedGoal {
 public:
  // Throws std::system_error.
  SharedGoal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
  }

  // From here on so many bytes are to be moved. While no loop runs.
  void set(std::uint64_t bytes) noexcept {
    eventfd_t before = 0;
    ::eventfd_read(event_.get(), &before);
    goal_ = bytes;
    moved_ = 0;
    if (bytes == 0) ::eventfd_write(event_.get(), 1);
  }

  // Readable once the goal is met.
  int fd() const noexcept { return event_.get(); }

  // Any thread. Gives how many bytes there are beyond the goal.
  std::uint64_t add(std::uint64_t bytes) noexcept {
    const std::uint64_t before = moved_.fetch_add(bytes), after = before + bytes;
    if (before < goal_ && after >= goal_) ::eventfd_write(event_.get(), 1);
    return after > goal_ ? after - goal_ : 0;
  }

  bool met() const noexcept { return moved_ >= goal_; }

 private:
  net::Fd event_;
  std::uint64_t goal_ = 0;
  std::atomic<std::uint64_t> moved_ = 0;
};

}  // namespace tlsrig::workloads
