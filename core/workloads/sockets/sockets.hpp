// What roles do with one connection at a time, outside the measured loop: handshake, announcement, end. Each
// waits for its socket with poll(2) and ends with StepError when the peer is gone.
#pragma once

#include <cstdint>

#include <poll.h>

#include <tlsrig/net/socket.hpp>
#include <tlsrig/workloads/failure.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

net::SocketOptions socket_options(const scenario::SocketSettings& settings);

// The options in force on a socket: {"congestion_control", "nodelay", "send_buffer", "receive_buffer"}.
Json socket_json(int fd);

// Waits until the socket is ready for what a session answered, TLSRIG_WANT_READ or TLSRIG_WANT_WRITE.
void wait_for_socket(int fd, tlsrig_result wanted);

// Repeats a transport's call until it is OK or CLOSED, which it returns. Throws for every other answer.
template <class Transport, class Call>
tlsrig_result complete(Transport& transport, const End& end, const char* step, Call&& call) {
  for (;;) {
    const tlsrig_result result = call();
    if (result == TLSRIG_OK || result == TLSRIG_CLOSED) return result;
    if (result != TLSRIG_WANT_READ && result != TLSRIG_WANT_WRITE) fail_session(end, result, transport.error(), step);
    wait_for_socket(transport.fd(), result);
  }
}

template <class Transport>
void complete_flush(Transport& transport, const End& end, const char* step) {
  complete(transport, end, step, [&] { return transport.flush(); });
}

template <class Transport>
void complete_handshake(Transport& transport, const End& end) {
  complete(transport, end, "handshake", [&] { return transport.handshake(); });
  complete_flush(transport, end, "handshake");
}

// A connection begins, after the handshake, with its number in eight bytes, so that both ends agree which it is
// whatever the order in which the server accepts.
inline constexpr std::size_t announcement_size = 8;

template <class Transport>
void announce(Transport& transport, const End& end) {
  std::uint8_t bytes[announcement_size] = {};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(end.connection >> (8 * i));
  for (std::size_t sent = 0; sent < announcement_size;) {
    std::size_t written = 0;
    complete(transport, end, "announcement",
             [&] { return transport.write(bytes + sent, announcement_size - sent, written); });
    sent += written;
  }
  complete_flush(transport, end, "announcement");
}

// The number that the client announced; end.connection counts accepted connections until then.
template <class Transport>
std::uint64_t take_announcement(Transport& transport, const End& end) {
  std::uint8_t bytes[announcement_size] = {};
  for (std::size_t got = 0; got < announcement_size;) {
    std::size_t size = 0;
    const tlsrig_result result = complete(transport, end, "announcement",
                                          [&] { return transport.read(bytes + got, announcement_size - got, size); });
    if (result == TLSRIG_CLOSED) fail_end(end, "truncated", "the client closed before it said which it is", "connect");
    got += size;
  }
  std::uint64_t connection = 0;
  for (std::size_t i = 0; i < announcement_size; ++i) connection |= std::uint64_t{bytes[i]} << (8 * i);
  return connection;
}

// The part of whoever ends first: close_notify, FIN, and reading on until the peer has answered with its own end.
// Closed the other way round, with bytes unread, the kernel would send RST and the peer could lose data.
template <class Transport>
void close_in_order(Transport& transport, const End& end) {
  complete(transport, end, "shutdown", [&] { return transport.shutdown(); });
  complete_flush(transport, end, "shutdown");
  net::end_output(transport.fd());
  std::uint8_t surplus[256];
  std::size_t size = 0;
  const tlsrig_result result =
      complete(transport, end, "close", [&] { return transport.read(surplus, sizeof surplus, size); });
  if (result == TLSRIG_OK) fail_end(end, "payload", "more bytes came in than were due", "close");
}

}  // namespace tlsrig::workloads
