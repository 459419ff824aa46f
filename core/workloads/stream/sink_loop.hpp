// The measured loop of a sink: reads each of its connections until WANT_READ, in turns, and counts bytes. Nothing is
// done per message: how many are whole follows from the sum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tlsrig/workloads/sockets/clock_look.hpp>
#include <tlsrig/workloads/sockets/turn_loop.hpp>
#include <tlsrig/workloads/stream/shared_goal.hpp>
#include <tlsrig/workloads/stream/stream.hpp>

namespace tlsrig::workloads {

template <class TransportType>
class SinkLoop final : public TurnLoop<SinkLoop<TransportType>, SocketConnection<TransportType>> {
  using Base = TurnLoop<SinkLoop<TransportType>, SocketConnection<TransportType>>;
  using typename Base::Progress;

 public:
  using Transport = TransportType;
  using typename Base::Connection;

  // first_failure and due (the bytes that settle takes in) are shared with the other loops of the role, and outlive
  // them.
  SinkLoop(const StreamShape& shape, int control_fd, FirstFailure& first_failure, SharedGoal& due)
      : Base(control_fd, first_failure),
        shape_(shape),
        due_(due),
        receive_(shape.layout.make(Purpose::receive, receive_size)) {}

  // Takes in a connection whose handshake is done and whose number is known.
  void adopt(std::unique_ptr<Connection> adopted) {
    Connection& connection = *adopted;
    connection.in_pattern = Pattern(connection.end.connection, shape_.direction);
    hold(std::move(adopted), EPOLLIN);
    make_ready(connection);  // what came in behind the announcement may lie inside the session already
  }

  // Reads, verifying, until the rig wants the next step.
  void serve_warm_up() {
    verifying_ = true;
    run_with(control_fd_, EPOLLIN, "warm-up");
  }

  // Reads on, verifying, until all loops together have what is due.
  void settle() {
    if (due_.met()) return;
    settling_ = true;
    epoll_.add(control_fd_, 0, nullptr);  // for its hang-up alone
    run_with(due_.fd(), EPOLLIN, "settle");
    epoll_.remove(control_fd_);
    settling_ = false;
    if (!due_.met()) throw StepError("other", "settle: the rig hung up before everything that was sent had come in");
  }

  // After settle: nothing came beyond what was due.
  void expect_silence() {
    for (auto& connection : connections_) {
      std::uint8_t surplus = 0;
      std::size_t size = 0;
      const tlsrig_result result = connection->transport.read(&surplus, 1, size);
      if (result == TLSRIG_OK)
        fail_end(connection->end, "payload", "more bytes came in than the source says it has sent", "settle");
      if (result == TLSRIG_CLOSED) fail_early_end(*connection);
      if (result != TLSRIG_WANT_READ && result != TLSRIG_WANT_WRITE)
        fail_session(connection->end, result, connection->transport.error(), "settle");
    }
    verifying_ = false;
  }

  // Reads until end_ns and freezes.
  void slice(const Slice& slice) { run_until(slice.end_ns, "slice"); }

  // Reads until every source has closed in order, and closes in order itself.
  void serve_until_closed() {
    closing_ = true;
    run_with(control_fd_, 0, "finish");
    if (open_)
      throw StepError("other", "finish: the rig hung up while " + std::to_string(open_) + " connections were open");
  }

  std::uint64_t moved() const { return received_; }  // bytes
  std::uint64_t bytes_verified() const { return bytes_verified_; }

 private:
  friend Base;
  using Base::close, Base::hold, Base::make_ready, Base::run_until, Base::run_with, Base::wait_for;
  using Base::connections_, Base::control_fd_, Base::end_ns_, Base::epoll_, Base::open_, Base::step_, Base::stop_;

  static constexpr std::size_t receive_size = 65536;
  static constexpr unsigned looks_per_turn = 8;

  bool reached() const { return closing_ && open_ == 0; }

  void serve(Connection& connection, std::uint32_t) {
    const std::uint64_t before = received_;
    turn_looks_ = 0;
    if (!take_turn(connection)) make_ready(connection);
    if (settling_ && due_.add(received_ - before)) [[unlikely]]
      throw StepError("payload", "settle: more bytes came in than the source says it has sent");
  }

  // False when the turn is over and there may be more to read without an event.
  bool take_turn(Connection& connection) {
    if (connection.stage != Stage::traffic) [[unlikely]]
      return close(connection);
    for (;;) {
      std::size_t size = 0;
      const tlsrig_result result = connection.transport.read(receive_.data(), receive_.size(), size);
      if (result != TLSRIG_OK) [[unlikely]]
        return after_read(connection, result);
      if (verifying_) [[unlikely]]
        verify(connection, size);
      connection.in_offset += size;
      received_ += size;
      if (look_.due() && turn_over()) [[unlikely]]
        return false;
    }
  }

  bool turn_over() {
    if (look_.now() >= end_ns_) stop_ = true;
    return stop_ || ++turn_looks_ >= looks_per_turn;
  }

  void verify(Connection& connection, std::size_t size) {
    if (const auto wrong = connection.in_pattern.mismatch({receive_.data(), size}, connection.in_offset))
      fail_payload(connection.end, connection.in_offset + *wrong,
                   connection.in_pattern.byte(connection.in_offset + *wrong), receive_.data()[*wrong]);
    bytes_verified_ += size;
  }

  bool after_read(Connection& connection, tlsrig_result result) {
    if (result == TLSRIG_WANT_READ) {
      const bool blocked = connection.transport.unsent() && Base::flush(connection) == Progress::wants_room;
      return wait_for(connection, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
    if (result == TLSRIG_WANT_WRITE) return wait_for(connection, EPOLLOUT);
    if (result != TLSRIG_CLOSED) fail_session(connection.end, result, connection.transport.error(), step_);
    if (!closing_) fail_early_end(connection);
    if (connection.in_offset % shape_.message_size)
      fail_end(connection.end, "truncated", "the peer ended the stream in the middle of a message", step_);
    return close(connection);
  }

  [[noreturn]] void fail_early_end(const Connection& connection) {
    fail_end(connection.end, "truncated", "the peer ended the stream in the middle of the traffic", step_);
  }

  const StreamShape shape_;
  SharedGoal& due_;
  measure::PlacedBuffer receive_;
  ClockLook look_;
  unsigned turn_looks_ = 0;
  bool verifying_ = false, settling_ = false, closing_ = false;
  std::uint64_t received_ = 0, bytes_verified_ = 0;
};

}  // namespace tlsrig::workloads
