// The one place where a process counts what its sockets carry: read, write, readv, writev, recv, send, recvfrom,
// sendto, recvmsg and sendmsg are defined here, in the program, and hand every call on to the next definition. The
// dynamic linker searches the program first, so the libraries that plugins bring call these too, without knowing; the
// runner's own calls are the same functions. A descriptor that nobody watches costs a look into a table.
//
// A library can go round them (syscall(2), splice, io_uring, a fortified __recv_chk). stream_bytes in socket.hpp is
// what the kernel counted: where it differs from what was counted here, the counts must not be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tlsrig::net {

// What one socket's calls came to. A call counts whatever it gives, EAGAIN included: the kernel was asked. Bytes are
// those that left or entered the stream: what MSG_PEEK looks at does not.
struct SocketCounts {
  std::uint64_t reads = 0, writes = 0;  // calls
  std::uint64_t bytes_in = 0, bytes_out = 0;

  SocketCounts& operator+=(const SocketCounts& other) {
    reads += other.reads;
    writes += other.writes;
    bytes_in += other.bytes_in;
    bytes_out += other.bytes_out;
    return *this;
  }
};

// Sees the bytes of a socket as they go by, in their order: on the thread of the call, before the caller has them.
class Observer {
 public:
  virtual void received(std::span<const std::uint8_t> bytes) noexcept = 0;
  virtual void sent(std::span<const std::uint8_t> bytes) noexcept = 0;

 protected:
  ~Observer() = default;
};

// Watches one descriptor from here to its destruction, which must come before the descriptor is closed. A socket is
// used by one thread at a time, and so is what is counted of it.
class Watch {
 public:
  // observer: outlives the watch or is let go before; nullptr: none. Throws std::system_error when the descriptor's
  // number is beyond the table.
  Watch(int fd, Observer* observer);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  SocketCounts counts() const;

  // The observer sees nothing more.
  void let_observer_go() noexcept;

  struct Entry;

 private:
  const int fd_;
  std::unique_ptr<Entry> entry_;
};

}  // namespace tlsrig::net
