// One end of a connection over a socket: a session and what carries its bytes. FdTransport gives the library the
// socket; WireTransport moves the bytes itself, between the socket and the session's windows. Both offer the same
// calls, and the loop is compiled once for each: what differs is settled when a role is made, not at every message.
//
// Answers are those of the contract. WANT_READ and WANT_WRITE mean here that the socket is to be waited for. An ERROR
// of the socket fills the error as one of the session does.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <tlsrig/host/session.hpp>
#include <tlsrig/net/socket.hpp>
#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/sockets/counted_socket.hpp>

namespace tlsrig::workloads {

// Bytes that a record adds to its payload, at most: 5 of header, and up to 80 of vector, authentication and padding
// with the CBC suites of TLS 1.2.
inline constexpr std::size_t record_overhead = 96;

// An output window for so much payload in writes of full size; at least for one, which is also enough for most
// handshakes' flights.
constexpr std::size_t window_for(std::size_t payload) {
  const std::size_t size = std::max<std::size_t>(payload, TLSRIG_WRITE_MAX);
  const std::size_t records = (size + TLSRIG_WRITE_MAX - 1) / TLSRIG_WRITE_MAX;
  return size + records * record_overhead;
}

// What a transport is made from.
struct TransportOptions {
  const char* server_name = nullptr;
  std::int32_t role = TLSRIG_CLIENT;
  bool plain = false;  // what goes over the socket is no TLS
  Layout layout{0};
  std::size_t read_size = 0;   // wire: bytes asked of one read of the socket
  std::size_t write_size = 0;  // wire: bytes gathered for one write to the socket, at most
};

class FdTransport {
 public:
  static constexpr std::uint32_t kind = TLSRIG_FD;

  FdTransport(const host::Context& context, net::Fd socket, const TransportOptions& options)
      : socket_(std::move(socket), options.role, options.plain),
        session_(context, tlsrig_transport{TLSRIG_FD, socket_.get(), nullptr}, options.server_name, error_) {}
  FdTransport(const FdTransport&) = delete;
  FdTransport& operator=(const FdTransport&) = delete;

  int fd() const noexcept { return socket_.get(); }
  const CountedSocket& socket() const noexcept { return socket_; }
  CountedSocket& socket() noexcept { return socket_; }
  const host::Session& session() const noexcept { return session_; }
  const tlsrig_error& error() const noexcept { return error_; }
  tlsrig_facts describe() const { return session_.describe(); }

  tlsrig_result handshake() noexcept { return session_.handshake(); }
  tlsrig_result shutdown() noexcept { return session_.shutdown(); }
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    return session_.checked_read(data, capacity, size);
  }
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    return session_.checked_write(data, size, written);
  }

  // The library has sent everything itself.
  static constexpr bool unsent() noexcept { return false; }
  static constexpr tlsrig_result flush() noexcept { return TLSRIG_OK; }
  static constexpr void expect_input() noexcept {}
  static constexpr std::size_t unread() noexcept { return 0; }

 private:
  CountedSocket socket_;
  tlsrig_error error_{};
  host::Session session_;
};

class WireTransport {
 public:
  static constexpr std::uint32_t kind = TLSRIG_WIRE;

  WireTransport(const host::Context& context, net::Fd socket, const TransportOptions& options)
      : socket_(std::move(socket), options.role, options.plain),
        in_(options.layout.make(Purpose::wire_in, options.read_size)),
        out_(options.layout.make(Purpose::wire_out, options.write_size)),
        wire_{in_.data(), 0, 0, out_.data(), out_.size(), 0, 0},
        session_(context, tlsrig_transport{TLSRIG_WIRE, -1, &wire_}, options.server_name, error_) {}
  WireTransport(const WireTransport&) = delete;
  WireTransport& operator=(const WireTransport&) = delete;

  int fd() const noexcept { return socket_.get(); }
  const CountedSocket& socket() const noexcept { return socket_; }
  CountedSocket& socket() noexcept { return socket_; }
  const host::Session& session() const noexcept { return session_; }
  const tlsrig_error& error() const noexcept { return error_; }
  tlsrig_facts describe() const { return session_.describe(); }

  tlsrig_result handshake() noexcept {
    return drive([this] { return session_.handshake(); });
  }

  tlsrig_result shutdown() noexcept {
    return drive([this] { return session_.shutdown(); });
  }

  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    if (starved_) {
      if (const tlsrig_result filled = fill(); filled != TLSRIG_OK) return filled;
    }
    for (;;) {
      const tlsrig_result result = session_.checked_read(data, capacity, size);
      if (result == TLSRIG_OK) [[likely]]
        return result;
      if (result == TLSRIG_WANT_READ) {
        // Output that the socket does not take yet is no reason to stop reading: the peer may wait for just that.
        if (unsent() && flush() == TLSRIG_ERROR) return TLSRIG_ERROR;
        if (const tlsrig_result filled = fill(); filled != TLSRIG_OK) return filled;
      } else if (const tlsrig_result ended = settle(result); ended != TLSRIG_OK) {
        return ended;
      }
    }
  }

  // What was written lies in the output window until flush, or until the window is full.
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    for (;;) {
      const tlsrig_result result = session_.checked_write(data, size, written);
      if (result == TLSRIG_OK) [[likely]]
        return result;
      if (result == TLSRIG_WANT_READ) {
        if (const tlsrig_result flushed = flush(); flushed != TLSRIG_OK) return flushed;
        if (const tlsrig_result filled = fill(); filled != TLSRIG_OK) {
          starved_ = false;  // payload that came before what this write waits for may be inside the session
          return filled;
        }
      } else if (const tlsrig_result ended = settle(result); ended != TLSRIG_OK) {
        return ended;
      }
    }
  }

  bool unsent() const noexcept { return wire_.out_used != 0; }

  // Gives the socket what is in the output window: OK when it has taken all of it.
  tlsrig_result flush() noexcept {
    while (sent_ < wire_.out_used) {
      const ssize_t taken = net::send(fd(), out_.data() + sent_, wire_.out_used - sent_);
      if (taken < 0) return net::would_block(errno) ? TLSRIG_WANT_WRITE : fail_system("send");
      sent_ += static_cast<std::size_t>(taken);
    }
    sent_ = wire_.out_used = 0;
    return TLSRIG_OK;
  }

  // Nothing can be inside the session now: the next read asks the socket first, which saves a call of the library that
  // could only answer WANT_READ.
  void expect_input() noexcept { starved_ = wire_.in_used == wire_.in_size; }

  // Bytes that came from the socket and that the session has not used.
  std::size_t unread() const noexcept { return wire_.in_size - wire_.in_used; }

 private:
  // Repeats a call until it is done or the socket must be waited for. Whatever it answers, what the library has written
  // goes out: a failed handshake leaves its alert there.
  template <class Call>
  tlsrig_result drive(Call&& call) noexcept {
    for (;;) {
      const tlsrig_result result = call();
      if (result == TLSRIG_WANT_READ) {
        if (const tlsrig_result flushed = flush(); flushed != TLSRIG_OK) return flushed;
        if (const tlsrig_result filled = fill(); filled != TLSRIG_OK) return filled;
      } else if (const tlsrig_result ended = settle(result); ended != TLSRIG_OK || result == TLSRIG_OK) {
        return ended;
      }
    }
  }

  // After OK, WANT_WRITE, CLOSED, ERROR or UNSUPPORTED. OK: all output is gone, the call may be repeated.
  tlsrig_result settle(tlsrig_result result) noexcept {
    if (result == TLSRIG_WANT_WRITE && !unsent()) return fail_law("WANT_WRITE with nothing in the output window");
    if (result == TLSRIG_OK || result == TLSRIG_WANT_WRITE) {
      const tlsrig_result flushed = flush();
      // A call that is done is not repeated: what is left goes out with the loop's next flush.
      return result == TLSRIG_OK && flushed == TLSRIG_WANT_WRITE ? TLSRIG_OK : flushed;
    }
    const tlsrig_error kept = error_;
    flush();
    if (result == TLSRIG_ERROR) error_ = kept;  // the session's own words say more than the socket's
    return result;
  }

  // Asks the socket for more input. OK: there is some, or its end was told to the session.
  tlsrig_result fill() noexcept {
    starved_ = true;
    if (wire_.in_used != wire_.in_size) return fail_law("WANT_READ with input left in the window");
    if (wire_.in_ended) return fail_law("WANT_READ after the end of the input");
    const ssize_t got = net::receive(fd(), in_.data(), in_.size());
    if (got < 0) return net::would_block(errno) ? TLSRIG_WANT_READ : fail_system("recv");
    wire_.in_used = 0;
    wire_.in_size = static_cast<std::size_t>(got);
    wire_.in_ended = got == 0;
    starved_ = false;
    return TLSRIG_OK;
  }

  [[gnu::cold]] tlsrig_result fail_system(const char* call) noexcept {
    const int error = errno;
    char text[128];
    // The GNU form of strerror_r, which may answer with a constant instead of the buffer.
    std::snprintf(error_.text, sizeof error_.text, "%s: %s", call, ::strerror_r(error, text, sizeof text));
    error_.kind = TLSRIG_ERROR_SYSTEM;
    error_.alert = -1;
    error_.code = error;
    return TLSRIG_ERROR;
  }

  [[gnu::cold]] tlsrig_result fail_law(const char* what) noexcept {
    std::snprintf(error_.text, sizeof error_.text, "the backend answered %s", what);
    error_.kind = TLSRIG_ERROR_OTHER;
    error_.alert = -1;
    error_.code = 0;
    return TLSRIG_ERROR;
  }

  CountedSocket socket_;
  measure::PlacedBuffer in_, out_;
  std::size_t sent_ = 0;  // of the output window, bytes that the socket has taken
  bool starved_ = true;   // the session has used all input and asked for more
  tlsrig_error error_{};
  tlsrig_wire wire_;
  host::Session session_;
};

}  // namespace tlsrig::workloads
