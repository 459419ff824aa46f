// What the loops by hand do with sockets before they measure.
#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace tlsrig::benchmarks {

// The answer of a system call. Throws std::system_error when it is negative.
inline int require(int answer, const char* call) {
  if (answer < 0) throw std::system_error(errno, std::generic_category(), std::string("by hand: ") + call);
  return answer;
}

// As the rig's sockets are set, so that the same TCP is compared.
inline void set_options(int fd) {
  const int on = 1;
  require(::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
}

// A listening socket on a free port of 127.0.0.1; its address.
inline int listen_anywhere(int backlog, sockaddr_in& address) {
  const int listener = require(::socket(AF_INET, SOCK_STREAM, 0), "socket");
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  require(::bind(listener, generic, sizeof address), "bind");
  require(::listen(listener, backlog), "listen");
  socklen_t length = sizeof address;
  require(::getsockname(listener, generic, &length), "getsockname");
  return listener;
}

// A connection to it.
inline int connect_to(const sockaddr_in& address) {
  const int fd = require(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  require(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), "connect");
  set_options(fd);
  return fd;
}

}  // namespace tlsrig::benchmarks
