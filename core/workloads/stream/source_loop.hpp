// The measured loop of a source: sends on each of its connections as long as the socket takes it. EPOLLOUT is what it
// waits for all the time, so that a turn ends by going back to epoll: a socket with room raises the next event at once,
// and one that is full costs no change of what is waited for.
//
// What was blocked when a slice ended is the same in the next: a write is cut by what is left of its block, and buffers
// keep what they hold. All connections share the buffers, since all send the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include <tlsrig/workloads/sockets/clock_look.hpp>
#include <tlsrig/workloads/sockets/turn_loop.hpp>
#include <tlsrig/workloads/stream/shared_goal.hpp>
#include <tlsrig/workloads/stream/stream.hpp>

namespace tlsrig::workloads {

template <class Transport>
struct SourceConnection : SocketConnection<Transport> {
  using SocketConnection<Transport>::SocketConnection;

  std::size_t left = 0;      // of the block, bytes not yet given to the library
  std::size_t gathered = 0;  // of the block, bytes copied together
  std::uint32_t blocks = 0;  // whole ones since the last flush
  bool flushing = false;     // what was written has to leave before more is
  bool blocked = false;      // a write has to be repeated: the library may have begun with its record

  // Nothing of a block has been given to the library, and it is not the first: however short the warm-up is, every
  // connection sends something in it.
  bool between_blocks(std::size_t block_size) const { return left == block_size && !blocked && this->out_offset; }
};

template <class TransportType>
class SourceLoop final : public TurnLoop<SourceLoop<TransportType>, SourceConnection<TransportType>> {
  using Base = TurnLoop<SourceLoop<TransportType>, SourceConnection<TransportType>>;
  using typename Base::Progress;

 public:
  using Transport = TransportType;
  using typename Base::Connection;

  // first_failure and quota (the bytes that the warm-up sends at least) are shared with the other loops of the role,
  // and outlive them.
  SourceLoop(const StreamShape& shape, int control_fd, FirstFailure& first_failure, SharedGoal& quota)
      : Base(control_fd, first_failure),
        shape_(shape),
        quota_(quota),
        message_(shape.layout.make(Purpose::message, shape.message_size)),
        gather_(shape.gathers ? shape.layout.make(Purpose::gather, shape.block_size) : measure::PlacedBuffer()),
        block_(shape.gathers ? gather_.data() : message_.data()) {
    Pattern(0, shape.direction).fill(message_.span(), 0);
  }

  // Takes in a connection whose handshake is done and whose number is known.
  void adopt(std::unique_ptr<Connection> adopted) {
    adopted->left = shape_.block_size;
    adopted->out_pattern = Pattern(adopted->end.connection, shape_.direction);
    hold(std::move(adopted), sending_events);
  }

  // Sends until end_ns and until the quota is met, every byte as the pattern wants it, and ends what is under way.
  void warm_up(std::int64_t end_ns) {
    warming_up_ = running_ = true;
    run_until(end_ns, "warm-up");
    if (!quota_.met()) run_with(quota_.fd(), EPOLLIN, "warm-up");
    end_messages("warm-up");
    warming_up_ = false;
  }

  // Sends until end_ns and freezes, be it inside a write.
  void slice(const Slice& slice) {
    running_ = true;
    run_until(slice.end_ns, "slice");
  }

  // Ends the message or block under way on each connection, until the socket has taken it all.
  void end_messages(const char* step) {
    running_ = false;
    under_way_ = 0;
    for (auto& connection : connections_) {
      if (connection->between_blocks(shape_.block_size) && connection->blocks == 0 && !connection->flushing)
        wait_for(*connection, quiet_events);
      else
        ++under_way_;
    }
    run(step);
    for (auto& connection : connections_) wait_for(*connection, sending_events);
  }

  std::uint64_t moved() const { return sent_; }  // bytes
  static constexpr std::uint64_t bytes_verified() { return 0; }

 private:
  friend Base;
  using Base::connections_, Base::end_ns_, Base::step_, Base::stop_;
  using Base::flush, Base::hold, Base::run, Base::run_until, Base::run_with, Base::wait_for;

  static constexpr std::uint32_t quiet_events = EPOLLRDHUP;  // EPOLLHUP and EPOLLERR come unasked
  static constexpr std::uint32_t sending_events = EPOLLOUT | quiet_events;
  static constexpr std::uint32_t input_events = EPOLLIN | quiet_events;
  static constexpr unsigned looks_per_turn = 8;

  bool reached() const { return !running_ && under_way_ == 0; }

  void serve(Connection& connection, std::uint32_t events) {
    if (events & ~std::uint32_t{EPOLLOUT}) [[unlikely]]
      take_input(connection, events);
    const std::uint64_t before = sent_;
    turn_looks_ = 0;
    send(connection);
    if (warming_up_) quota_.add(sent_ - before);
  }

  // Until the socket is full, the turn is over or, when running_ is false, the block and what was batched is out.
  void send(Connection& connection) {
    for (;;) {
      if (connection.flushing) [[unlikely]] {
        if (flush(connection) != Progress::done) return;
        connection.flushing = false;
        connection.blocks = 0;
      }
      if (!running_ && connection.between_blocks(shape_.block_size)) [[unlikely]] {
        connection.flushing = connection.blocks != 0;
        if (connection.flushing) continue;
        return end(connection);
      }
      if (shape_.gathers && connection.gathered < shape_.block_size && !gather(connection)) return;
      const std::size_t size = std::min<std::size_t>(connection.left, TLSRIG_WRITE_MAX);
      std::uint8_t* const data = block_ + (shape_.block_size - connection.left);
      if (warming_up_) [[unlikely]]
        connection.out_pattern.fill({data, size}, connection.out_offset);  // after WANT_*: the same bytes once more
      std::size_t written = 0;
      const tlsrig_result result = connection.transport.write(data, size, written);
      if (result != TLSRIG_OK) [[unlikely]]
        return wait_with_write(connection, result);
      connection.blocked = false;
      connection.out_offset += written;
      sent_ += written;
      connection.left -= written;
      if (connection.left == 0) {
        connection.left = shape_.block_size;
        connection.gathered = 0;
        ++connection.blocks;
      }
      if (connection.blocks >= shape_.blocks_per_flush) {
        connection.flushing = flush(connection) != Progress::done;
        if (connection.flushing) [[unlikely]]
          return;
        connection.blocks = 0;
      }
      if (look_.due() && turn_over()) [[unlikely]]
        return;
    }
  }

  // Copies messages into the block, one by one. False: the turn is over, and the rest comes in the next.
  bool gather(Connection& connection) {
    while (connection.gathered < shape_.block_size) {
      const std::size_t pause = std::min<std::size_t>(connection.gathered + TLSRIG_WRITE_MAX, shape_.block_size);
      for (; connection.gathered < pause; connection.gathered += shape_.message_size)
        std::memcpy(block_ + connection.gathered, message_.data(), shape_.message_size);
      if (look_.due() && turn_over()) return false;
    }
    return true;
  }

  bool turn_over() {
    if (look_.now() >= end_ns_) stop_ = true;
    return stop_ || ++turn_looks_ >= looks_per_turn;
  }

  void end(Connection& connection) {
    --under_way_;
    wait_for(connection, quiet_events);
  }

  // A write without room waits for EPOLLOUT, as always.
  void wait_with_write(Connection& connection, tlsrig_result result) {
    connection.blocked = true;
    const Progress progress = Base::progress_of(connection, result);
    if (progress == Progress::wants_input) wait_for(connection, input_events);
  }

  // What comes back is nothing that a source waits for, except where a write does; and then it is no payload.
  void take_input(Connection& connection, std::uint32_t events) {
    std::uint8_t surplus = 0;
    std::size_t size = 0;
    const tlsrig_result result = connection.transport.read(&surplus, 1, size);
    if (result == TLSRIG_OK) fail_end(connection.end, "payload", "the sink sent bytes", step_);
    if (result == TLSRIG_ERROR || result == TLSRIG_UNSUPPORTED)
      fail_session(connection.end, result, connection.transport.error(), step_);
    if (result == TLSRIG_CLOSED || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
      fail_end(connection.end, "truncated", "the peer ended the stream in the middle of the traffic", step_);
    wait_for(connection, sending_events);
  }

  const StreamShape shape_;
  SharedGoal& quota_;
  measure::PlacedBuffer message_, gather_;
  std::uint8_t* const block_;
  ClockLook look_;
  unsigned turn_looks_ = 0;
  bool running_ = false, warming_up_ = false;
  std::size_t under_way_ = 0;  // connections with a block to end
  std::uint64_t sent_ = 0;
};

}  // namespace tlsrig::workloads
