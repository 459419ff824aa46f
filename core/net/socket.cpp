// TCP sockets over 127.0.0.1: set-up and end.
#include <tlsrig/net/socket.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <system_error>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

namespace tlsrig::net {

namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// Descriptors run out in socket(2) and accept(2) alike.
[[noreturn]] void fail_open(int error, const char* call) {
  if (error != EMFILE && error != ENFILE) fail(error, call);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  fail(error, error == EMFILE
                  ? fmt::format("EMFILE: {}: this process may have {} descriptors open; raise the limit (ulimit -n) or "
                                "ask for fewer connections",
                                call, limit.rlim_cur)
                  : fmt::format("ENFILE: {}: the whole system has too many files open (fs.file-max)", call));
}

sockaddr_in local_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

Fd new_socket(int flags) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!fd) fail_open(errno, "socket");
  return fd;
}

template <class Value>
void set_option(int fd, int level, int option, const Value& value, const char* name) {
  if (::setsockopt(fd, level, option, &value, sizeof value) != 0) fail(errno, fmt::format("setsockopt {}", name));
}

void set_buffer(int fd, int option, std::uint64_t bytes, const char* name) {
  if (bytes == 0) return;
  set_option(fd, SOL_SOCKET, option, static_cast<int>(std::min<std::uint64_t>(bytes, INT_MAX)), name);
}

// Before connect or listen: the size of the receive buffer decides the window scale, which is settled in the handshake.
void set_options(int fd, const SocketOptions& options) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, int{options.nodelay}, "TCP_NODELAY");
  set_buffer(fd, SO_SNDBUF, options.send_buffer, "SO_SNDBUF");
  set_buffer(fd, SO_RCVBUF, options.receive_buffer, "SO_RCVBUF");
  // bbr paces what it sends, also over loopback, which would measure the pacing. A kernel without reno keeps its own;
  // socket_state tells which it is.
  static_cast<void>(::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
}

template <class Value>
Value option_of(int fd, int level, int option) {
  Value value{};
  socklen_t size = sizeof value;
  if (::getsockopt(fd, level, option, &value, &size) != 0) fail(errno, "getsockopt");
  return value;
}

int largest_backlog() {
  int backlog = 0;
  std::ifstream("/proc/sys/net/core/somaxconn") >> backlog;
  return backlog > 0 ? backlog : SOMAXCONN;
}

}  // namespace

Listener::Listener(const SocketOptions& options) : options_(options), fd_(new_socket(SOCK_NONBLOCK)) {
  set_option(fd_.get(), SOL_SOCKET, SO_REUSEADDR, int{1}, "SO_REUSEADDR");
  set_options(fd_.get(), options_);
  sockaddr_in address = local_address(0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd_.get(), generic, sizeof address) != 0) fail(errno, "bind to 127.0.0.1, any port");
  if (::listen(fd_.get(), largest_backlog()) != 0) fail(errno, "listen on 127.0.0.1");
  socklen_t size = sizeof address;
  if (::getsockname(fd_.get(), generic, &size) != 0) fail(errno, "getsockname");
  port_ = ntohs(address.sin_port);
}

Fd Listener::accept() {
  for (;;) {
    Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) {
      set_options(fd.get(), options_);
      return fd;
    }
    if (would_block(errno)) return fd;
    if (errno != EINTR && errno != ECONNABORTED) fail_open(errno, "accept");
  }
}

Fd connect_local(std::uint16_t port, const SocketOptions& options) {
  // Connected while it still blocks: over loopback a connect is done or refused at once, and there is no half-way state
  // to keep.
  Fd fd = new_socket(0);
  set_options(fd.get(), options);
  const sockaddr_in address = local_address(port);
  int result = 0;
  do result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EISCONN) {
    const int error = errno;
    fail(error, error == EADDRNOTAVAIL
                    ? fmt::format("EADDRNOTAVAIL: connect to 127.0.0.1:{}: no local port is free; wait 60 s for closed "
                                  "connections to leave TIME_WAIT, or widen net.ipv4.ip_local_port_range",
                                  port)
                    : fmt::format("connect to 127.0.0.1:{}", port));
  }
  int on = 1;
  if (::ioctl(fd.get(), FIONBIO, &on) != 0) fail(errno, "ioctl FIONBIO");
  return fd;
}

SocketState socket_state(int fd) {
  SocketState state;
  state.nodelay = option_of<int>(fd, IPPROTO_TCP, TCP_NODELAY) != 0;
  state.send_buffer = static_cast<std::uint64_t>(option_of<int>(fd, SOL_SOCKET, SO_SNDBUF));
  state.receive_buffer = static_cast<std::uint64_t>(option_of<int>(fd, SOL_SOCKET, SO_RCVBUF));
  char name[16] = {};  // TCP_CA_NAME_MAX
  socklen_t size = sizeof name;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size) != 0) fail(errno, "getsockopt TCP_CONGESTION");
  state.congestion_control.assign(name, ::strnlen(name, sizeof name));
  return state;
}

// The states of linux/tcp.h's tcpi_state have names in netinet/tcp.h alone, which cannot stand beside it.
enum TcpState : std::uint8_t { time_wait = 6, closed = 7, close_wait = 8, last_ack = 9, closing = 11 };

std::optional<StreamBytes> stream_bytes(int fd) {
  // Bytes that came go on coming: what is unread belongs to what was received only if it was the same before and after.
  for (;;) {
    int before = 0, after = 0;
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::ioctl(fd, FIONREAD, &before) != 0 || ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        ::ioctl(fd, FIONREAD, &after) != 0 ||
        size < offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans)
      return std::nullopt;
    if (before != after) continue;
    // A FIN that has come counts as a byte received; once both ways are closed it cannot be told from a reset.
    if (info.tcpi_state == time_wait || info.tcpi_state == closed) return std::nullopt;
    const bool ended = info.tcpi_state == close_wait || info.tcpi_state == last_ack || info.tcpi_state == closing;
    return StreamBytes{info.tcpi_bytes_received - ended - static_cast<std::uint64_t>(before),
                       info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes};
  }
}

void end_output(int fd) noexcept { ::shutdown(fd, SHUT_WR); }

void abandon(int fd) noexcept { ::shutdown(fd, SHUT_RDWR); }

// Dissolving the association does it at once (tcp(7)); SO_LINGER would only with the last descriptor's close.
void reset(int fd) noexcept {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  static_cast<void>(::connect(fd, &nowhere, sizeof nowhere));
}

std::size_t unread_bytes(int fd) noexcept {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace tlsrig::net
