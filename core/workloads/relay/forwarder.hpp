// One direction of a relayed connection: reads from one leg, in the way that the settings ask for, and writes on to the
// other. Compiled once per transport and way of reading; which one it is is decided once per turn.
//
// Back-pressure. What the sink does not take is kept in a buffer of the direction's own, and nothing is read until it
// is gone: so a direction holds at most what it gathers before it writes (192 KiB, see relay_shape.hpp). The buffer
// stays until the source has nothing more: a sink that is slower than its source blocks again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <tlsrig/abi/pending.h>
#include <tlsrig/workloads/failure.hpp>
#include <tlsrig/workloads/relay/relay_shape.hpp>
#include <tlsrig/workloads/sockets/clock_look.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

// What a direction waits for before it can go on. `nothing`: its turn is over and it may have more to do without an
// event. `over`: its end was passed on.
enum class Wait : std::uint8_t { nothing, source_input, source_room, sink_input, sink_room, over };

// What a loop lends to the direction whose turn it is.
struct Turn {
  static constexpr std::size_t work_max = 131072;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  std::uint8_t* buffer = nullptr;  // gathered_max bytes; nothing stays there after a turn
  const char* step = "";
  std::int64_t end_ns = never;
  bool over = false;  // it has taken long enough: others wait
  bool stop = false;  // the step is over

  // After every read. A read weighs something by itself, or 2-byte records would make a turn of many milliseconds.
  void worked(std::size_t bytes) noexcept {
    work_ += bytes + read_weight;
    if (work_ >= work_max) [[unlikely]] {
      work_ = 0;
      over = true;
    }
    if (look_.due() && look_.now() >= end_ns) [[unlikely]]
      stop = true;
  }

 private:
  static constexpr std::size_t read_weight = 1024;
  std::size_t work_ = 0;
  ClockLook look_;
};

template <class Transport>
class Forwarder;
template <class Transport>
struct RelayConnection;

// The relay's end of the connection to one of its peers.
template <class Transport>
struct Leg {
  Leg(const host::Context& context, net::Fd socket, const TransportOptions& options)
      : transport(context, std::move(socket), options), plain(options.plain) {}

  // What the next read gives without waiting, as far as it can be asked.
  std::size_t ready_bytes() noexcept {
    if (pending) return pending->bytes(transport.session().get());
    const std::size_t unread = transport.unread();
    return unread ? unread : net::unread_bytes(transport.fd());
  }

  Transport transport;
  const bool plain;
  End end;
  const tlsrig_pending* pending = nullptr;  // of a library that is asked how many bytes are ready
  std::uint32_t interest = 0;               // events that it is watched for
  RelayConnection<Transport>* connection = nullptr;
  Forwarder<Transport>*reader = nullptr, *writer = nullptr;
};

template <class Transport>
class Forwarder {
 public:
  // Both legs and the shape outlive it.
  Forwarder(Leg<Transport>& source, Leg<Transport>& sink, const RelayShape& shape)
      : source_(source), sink_(sink), shape_(shape) {
    if (shape.read == RelayRead::fixed) kept_ = shape.layout.make(Purpose::receive, shape.read_size);
  }
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  Leg<Transport>& source() noexcept { return source_; }
  Leg<Transport>& sink() noexcept { return sink_; }
  Wait wait() const noexcept { return wait_; }
  std::uint64_t bytes_in() const noexcept { return bytes_in_; }    // read from the source
  std::uint64_t bytes_out() const noexcept { return bytes_out_; }  // that the sink's session has taken
  std::size_t held() const noexcept { return held_left_; }         // read, and not yet taken

  bool ready = false;  // it stands in the loop's list of those with more to do

  // Forwards until there is nothing to read, the sink takes nothing, or the turn is over. Throws what fail_session
  // does.
  void turn(Turn& turn) {
    wait_ = send_held(turn);
    if (wait_ == Wait::nothing) wait_ = ended_ ? end_sink(turn) : forward(turn);
    if (wait_ == Wait::source_input && remainder_.size()) remainder_ = measure::PlacedBuffer();
  }

 private:
  Wait forward(Turn& turn) {
    switch (shape_.read) {
      case RelayRead::per_record:
        return forward_by<RelayRead::per_record>(turn);
      case RelayRead::coalesce:
        return forward_by<RelayRead::coalesce>(turn);
      case RelayRead::fixed:
        return forward_by<RelayRead::fixed>(turn);
      case RelayRead::pending:
        return forward_by<RelayRead::pending>(turn);
      case RelayRead::drain:
        return forward_by<RelayRead::drain>(turn);
      case RelayRead::spin:
        return forward_by<RelayRead::spin>(turn);
    }
    return Wait::nothing;
  }

  // Before the source is waited for it is read until WANT_READ: what lies inside a session or window raises no event.
  template <RelayRead way>
  Wait forward_by(Turn& turn) {
    std::uint8_t* const data = way == RelayRead::fixed ? kept_.data() : turn.buffer;
    for (;;) {
      std::size_t size = 0;
      const tlsrig_result result = gather<way>(turn, data, size);
      if (size) [[likely]] {
        bytes_in_ += size;
        const Wait blocked = pass_on(turn, data, size);
        // An end that was read just now is read once more when the sink takes bytes again; an error is not.
        if (blocked != Wait::nothing && result != TLSRIG_ERROR) [[unlikely]]
          return blocked;
      }
      if (result != TLSRIG_OK) return after_read(turn, result, way == RelayRead::spin);
      if (way == RelayRead::spin || turn.over || turn.stop) return Wait::nothing;
    }
  }

  // Reads what is to be written on at once. size: what came, also when the answer is not OK.
  template <RelayRead way>
  tlsrig_result gather(Turn& turn, std::uint8_t* data, std::size_t& size) {
    if constexpr (way == RelayRead::coalesce || way == RelayRead::drain) {
      const std::size_t limit = way == RelayRead::coalesce ? shape_.read_size : shape_.gathered_max;
      tlsrig_result result = TLSRIG_OK;
      while (size < limit && result == TLSRIG_OK && !turn.stop)
        result = read(turn, data, std::min(shape_.read_size, limit - size), size);
      return result;
    } else if constexpr (way == RelayRead::pending) {
      tlsrig_result result = read(turn, data, 1, size);
      if (result != TLSRIG_OK) return result;
      const std::size_t whole = 1 + std::min(source_.ready_bytes(), shape_.read_size - 1);
      while (size < whole && result == TLSRIG_OK) result = read(turn, data, whole - size, size);
      return result;
    } else if constexpr (way == RelayRead::spin) {
      // The bug: the socket is asked, which of a session knows ciphertext alone, and only what it has not taken in yet.
      const std::size_t in_socket = net::unread_bytes(source_.transport.fd());
      return read(turn, data, std::clamp<std::size_t>(in_socket, 1, shape_.read_size), size);
    } else {
      return read(turn, data, shape_.read_size, size);
    }
  }

  // Adds to what was gathered.
  tlsrig_result read(Turn& turn, std::uint8_t* data, std::size_t capacity, std::size_t& gathered) noexcept {
    std::size_t size = 0;
    const tlsrig_result result = source_.transport.read(data + gathered, capacity, size);
    if (result != TLSRIG_OK) size = 0;
    gathered += size;
    turn.worked(size);
    return result;
  }

  Wait after_read(Turn& turn, tlsrig_result result, bool spins) {
    if (result == TLSRIG_CLOSED) {
      ended_ = true;
      return end_sink(turn);
    }
    if (result != TLSRIG_WANT_READ && result != TLSRIG_WANT_WRITE) fail(turn, source_, result);
    if (spins) return Wait::nothing;
    return result == TLSRIG_WANT_READ ? Wait::source_input : Wait::source_room;
  }

  Wait pass_on(Turn& turn, const std::uint8_t* data, std::size_t size) {
    while (size) {
      std::size_t written = 0;
      const tlsrig_result result = sink_.transport.write(data, std::min<std::size_t>(size, TLSRIG_WRITE_MAX), written);
      if (result != TLSRIG_OK) [[unlikely]] {
        hold(data, size);
        return sink_wait(turn, result);
      }
      bytes_out_ += written;
      data += written;
      size -= written;
    }
    return sink_wait(turn, sink_.transport.flush());
  }

  // The buffer of the turn is the loop's; the direction's own may keep what it has.
  [[gnu::cold]] void hold(const std::uint8_t* data, std::size_t size) {
    held_left_ = size;
    held_ = data;
    if (shape_.read == RelayRead::fixed) return;
    if (remainder_.size() == 0) remainder_ = shape_.layout.make(Purpose::receive, shape_.gathered_max);
    std::memcpy(remainder_.data(), data, size);
    held_ = remainder_.data();
  }

  // What was held goes first, in the same pieces: a blocked write is repeated with the same bytes in the same size.
  Wait send_held(Turn& turn) {
    while (held_left_) [[unlikely]] {
        std::size_t written = 0;
        const tlsrig_result result =
            sink_.transport.write(held_, std::min<std::size_t>(held_left_, TLSRIG_WRITE_MAX), written);
        if (result != TLSRIG_OK) return sink_wait(turn, result);
        bytes_out_ += written;
        held_ += written;
        held_left_ -= written;
      }
    return sink_.transport.unsent() ? sink_wait(turn, sink_.transport.flush()) : Wait::nothing;
  }

  Wait sink_wait(Turn& turn, tlsrig_result result) {
    if (result == TLSRIG_OK) [[likely]]
      return Wait::nothing;
    if (result == TLSRIG_WANT_WRITE) return Wait::sink_room;
    if (result == TLSRIG_WANT_READ) return Wait::sink_input;
    fail(turn, sink_, result);
  }

  // Passes the source's end on; the other direction goes on. Nothing is held and no write is blocked.
  Wait end_sink(Turn& turn) {
    tlsrig_result result = sink_.transport.shutdown();
    if (result == TLSRIG_OK) result = sink_.transport.flush();
    if (const Wait blocked = sink_wait(turn, result); blocked != Wait::nothing) return blocked;
    net::end_output(sink_.transport.fd());
    return Wait::over;
  }

  [[noreturn, gnu::cold]] static void fail(Turn& turn, Leg<Transport>& leg, tlsrig_result result) {
    fail_session(leg.end, result, leg.transport.error(), turn.step);
  }

  Leg<Transport>&source_, &sink_;
  const RelayShape& shape_;
  Wait wait_ = Wait::nothing;
  bool ended_ = false;  // the source has ended in order
  std::uint64_t bytes_in_ = 0, bytes_out_ = 0;
  measure::PlacedBuffer kept_;       // fixed: what it reads into
  measure::PlacedBuffer remainder_;  // others: what the sink did not take
  const std::uint8_t* held_ = nullptr;
  std::size_t held_left_ = 0;
};

}  // namespace tlsrig::workloads
