// Waiting for one socket, and its options.
#include <tlsrig/workloads/sockets/sockets.hpp>

#include <cerrno>
#include <system_error>

namespace tlsrig::workloads {

net::SocketOptions socket_options(const scenario::SocketSettings& settings) {
  return {settings.nodelay, settings.send_buffer, settings.receive_buffer};
}

Json socket_json(int fd) {
  const net::SocketState state = net::socket_state(fd);
  return {{"congestion_control", state.congestion_control},
          {"nodelay", state.nodelay},
          {"send_buffer", state.send_buffer},
          {"receive_buffer", state.receive_buffer}};
}

void wait_for_socket(int fd, tlsrig_result wanted) {
  pollfd poll{};
  poll.fd = fd;
  poll.events = wanted == TLSRIG_WANT_READ ? POLLIN : POLLOUT;
  while (::poll(&poll, 1, -1) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
}

}  // namespace tlsrig::workloads
