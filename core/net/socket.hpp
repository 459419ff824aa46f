// Non-blocking TCP sockets over 127.0.0.1, and the one place where the runner itself reads from and writes to them.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/socket.h>
#include <sys/types.h>

#include <tlsrig/net/fd.hpp>

namespace tlsrig::net {

// recv(2) and send(2) on a non-blocking socket: bytes moved, or -1 with errno. A peer that is gone gives EPIPE, not a
// signal.
inline ssize_t receive(int fd, void* data, std::size_t size) noexcept {
  ssize_t got = 0;
  do got = ::recv(fd, data, size, 0);
  while (got < 0 && errno == EINTR);
  return got;
}

inline ssize_t send(int fd, const void* data, std::size_t size) noexcept {
  ssize_t sent = 0;
  do sent = ::send(fd, data, size, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

// Bytes that a socket holds unread, 0 when it cannot say.
std::size_t unread_bytes(int fd) noexcept;

inline bool would_block(int error) noexcept { return error == EAGAIN || error == EWOULDBLOCK; }

// What every socket of an arm is set to before it carries a byte. 0: the kernel's default.
struct SocketOptions {
  bool nodelay = true;
  std::uint64_t send_buffer = 0, receive_buffer = 0;  // bytes
};

// What is in force on a socket, as the kernel tells it.
struct SocketState {
  bool nodelay = false;
  std::uint64_t send_buffer = 0, receive_buffer = 0;  // bytes; Linux keeps twice what was asked
  std::string congestion_control;
};

// Listens on 127.0.0.1. Errors of all three: std::system_error that names the call, the address and the cure.
class Listener {
 public:
  // A free port; the backlog is the system's largest (net.core.somaxconn).
  explicit Listener(const SocketOptions& options);

  std::uint16_t port() const { return port_; }
  int fd() const { return fd_.get(); }

  // The next connection, non-blocking and set up; an empty Fd when none is waiting.
  Fd accept();

 private:
  SocketOptions options_;
  Fd fd_;
  std::uint16_t port_ = 0;
};

// Connects to 127.0.0.1:port, waiting until it is done or refused; the socket is non-blocking afterwards.
Fd connect_local(std::uint16_t port, const SocketOptions& options);

SocketState socket_state(int fd);

// The bytes that this process has read from and written to a connection, by the kernel's own count, which no call
// escapes. Nothing when the kernel does not tell: fd is no TCP socket, is closed both ways, or Linux is older
// than 4.19. While no other thread uses the socket.
struct StreamBytes {
  std::uint64_t in = 0, out = 0;
};
std::optional<StreamBytes> stream_bytes(int fd);

// Ends this side's direction (FIN). A connection that is gone already is no error.
void end_output(int fd) noexcept;

// Ends both directions at once, so that the peer sees an end while this process still lives.
void abandon(int fd) noexcept;

// Ends both directions with a reset: what is unsent is lost, and the peer cannot take it for an orderly end.
void reset(int fd) noexcept;

}  // namespace tlsrig::net
