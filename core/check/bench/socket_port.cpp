// Loopback TCP by hand: what a session wrote is read from the far side, what it shall read is written there.
#include <tlsrig/check/bench/socket_port.hpp>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/wire_port.hpp>
#include <tlsrig/net/socket.hpp>

namespace tlsrig::check {
namespace {

constexpr int arrival_wait_ms = 100;  // loopback delivers at once; only a full buffer takes longer
constexpr int idle_wait_ms = 20;

int checked(int result, const char* call) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), call);
  return result;
}

int queue_size(int fd, unsigned long request) {
  int size = 0;
  checked(ioctl(fd, request, &size), "ioctl");
  return size;
}

net::SocketOptions options_for(Buffers buffers) {
  net::SocketOptions options;
  if (buffers == Buffers::least) options.send_buffer = options.receive_buffer = 1;  // raised to the kernel's least
  if (buffers == Buffers::large) options.send_buffer = options.receive_buffer = 1 << 20;
  return options;
}

// A thread keeps one listener for each kind of buffers: finding a free port for every connection would take longer than
// all else that a step does, once thousands of connections are in TIME_WAIT.
net::Listener& listener_for(Buffers buffers) {
  thread_local std::map<Buffers, net::Listener> listeners;
  if (const auto found = listeners.find(buffers); found != listeners.end()) return found->second;
  net::Listener& made = listeners.try_emplace(buffers, options_for(buffers)).first->second;
  // A segment as large as loopback's own would not fit into the least buffers and wait for the persist timer.
  constexpr int small_segment = 536;
  if (buffers == Buffers::least)
    checked(setsockopt(made.fd(), IPPROTO_TCP, TCP_MAXSEG, &small_segment, sizeof small_segment), "TCP_MAXSEG");
  return made;
}

std::size_t send_some(int fd, std::span<const std::uint8_t> bytes) {
  const ssize_t sent = net::send(fd, bytes.data(), bytes.size());
  if (sent >= 0) return std::size_t(sent);
  if (net::would_block(errno)) return 0;
  if (errno == EPIPE || errno == ECONNRESET) return bytes.size();  // no one is left to read it
  throw std::system_error(errno, std::generic_category(), "send");
}

}  // namespace

SocketPort::SocketPort(const PortOptions& options) {
  net::Listener& listener = listener_for(options.buffers);
  near_ = net::connect_local(listener.port(), options_for(options.buffers));
  far_ = listener.accept();
  require(bool(far_), "the bench's connection over loopback did not arrive");
}

std::size_t SocketPort::unused() const { return std::size_t(queue_size(near_.get(), SIOCINQ)); }

void SocketPort::offer(Flow& incoming) {
  if (!far_) return;  // reset
  const bool in_pieces = incoming.piece != unlimited;
  std::size_t sent = 0;
  for (auto next = incoming.next(); !next.empty() && !(in_pieces && unused() > 0); next = incoming.next()) {
    const std::size_t size = send_some(far_.get(), next);
    incoming.deliver(size);
    sent += size;
    if (size < next.size() || in_pieces) break;
  }
  if (incoming.at_end() && !std::exchange(end_delivered_, true)) net::end_output(far_.get());
  pollfd readable{near_.get(), POLLIN, 0};
  if (sent) poll(&readable, 1, arrival_wait_ms);
  quiet_ = queue_size(far_.get(), SIOCOUTQ) == 0;
}

std::size_t SocketPort::collect(Flow& outgoing) {
  std::array<std::uint8_t, 16 * 1024> buffer;
  std::size_t collected = 0;
  while (far_ && outgoing.room() > 0) {
    const ssize_t size = net::receive(far_.get(), buffer.data(), std::min(buffer.size(), outgoing.room()));
    if (size == 0) outgoing.ended = true;
    if (size <= 0) break;
    outgoing.put({buffer.data(), std::size_t(size)});
    collected += std::size_t(size);
  }
  return collected;
}

std::optional<Complaint> SocketPort::complaint(tlsrig_result result) const {
  if (result == TLSRIG_WANT_READ && quiet_ && unused() > 0)
    return Complaint{
        fmt::format("answered WANT_READ with {} bytes in the socket (law 1: the socket said EAGAIN)", unused()),
        rules::input_used};
  return std::nullopt;
}

void SocketPort::finish(Flow&) { net::end_output(near_.get()); }  // collect then reads the end

void SocketPort::wait(tlsrig_result awaited) const {
  const short near_events = awaited == TLSRIG_WANT_WRITE ? POLLOUT : POLLIN;
  pollfd sockets[] = {{near_.get(), near_events, 0}, {far_.get(), POLLIN, 0}};
  poll(sockets, 2, idle_wait_ms);
}

void SocketPort::settle() const {
  using namespace std::chrono;
  const auto deadline = steady_clock::now() + milliseconds(arrival_wait_ms);
  while (queue_size(near_.get(), SIOCOUTQ) > 0 && steady_clock::now() < deadline)
    std::this_thread::sleep_for(microseconds(200));
}

bool SocketPort::usable() const {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  return getpeername(near_.get(), reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

void SocketPort::reset() {
  const linger abortive{1, 0};
  checked(setsockopt(far_.get(), SOL_SOCKET, SO_LINGER, &abortive, sizeof abortive), "SO_LINGER");
  far_.close();
}

std::unique_ptr<Port> make_port(std::uint32_t kind, const PortOptions& options) {
  if (kind == TLSRIG_FD) return std::make_unique<SocketPort>(options);
  return std::make_unique<WirePort>(options);
}

}  // namespace tlsrig::check
