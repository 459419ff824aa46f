// Where a session meets the bench: a pair of windows, or a loopback TCP connection whose far side the bench holds. Both
// take input from one flow and give output to another, so that every step is written once for wires and sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/check/bench/flow.hpp>
#include <tlsrig/check/bench/rules.hpp>

namespace tlsrig::check {

enum class Buffers { usual, least, large };  // of a socket; large: 1 MiB and more

struct PortOptions {
  std::size_t out_window = 64 * 1024;  // wire: bytes of `out`
  bool moving_windows = false;         // wire: both buffers lie at another address at each call
  Buffers buffers = Buffers::usual;    // socket: SO_SNDBUF and SO_RCVBUF
};

// What is wrong with a call, and which law it broke; without one: what the step is about.
struct Complaint {
  std::string words;
  Rule rule;
};

class Port {
 public:
  virtual ~Port() = default;

  // What open is given; valid as long as the port.
  virtual tlsrig_transport transport() = 0;

  // Gives the session the next piece of the flow, when the last one is used up.
  virtual void offer(Flow& incoming) = 0;

  // Bytes of input that the session can take now.
  virtual std::size_t unused() const = 0;

  // Moves what the session sent into the flow, as far as that has room; returns how many bytes.
  virtual std::size_t collect(Flow& outgoing) = 0;

  // The law that a call with this answer broke at the transport. Between offer and collect.
  virtual std::optional<Complaint> complaint(tlsrig_result result) const = 0;

  // The session's side sends nothing more: on a socket SHUT_WR, on a wire the peer's in_ended.
  virtual void finish(Flow& outgoing) = 0;

  // Waits a little for a socket to become ready for what the session waits for; returns at once on a wire.
  virtual void wait(tlsrig_result awaited) const = 0;

  // How long nothing may move before that is a standstill: timers of TCP may hold a full connection for a while.
  virtual std::chrono::milliseconds patience() const = 0;

  // Waits until what was sent so far has reached the bench's side.
  virtual void settle() const = 0;

  // Whether the session's descriptor is still open and connected; true on a wire.
  virtual bool usable() const = 0;

  // Wire with moving windows: bytes of `out` from the next call on, and at least what it holds. Nothing on a socket.
  virtual void resize_out(std::size_t) {}

  // Ends the connection with a reset. Sockets only: a wire has none.
  virtual void reset() = 0;
};

// kind: TLSRIG_WIRE or TLSRIG_FD. Throws std::system_error when a socket cannot be made.
std::unique_ptr<Port> make_port(std::uint32_t kind, const PortOptions& options);

}  // namespace tlsrig::check
