// The measured loop of echo: one thread, one epoll set, its share of the connections. Both sides are the same machine:
// a client owes a message for every reply that it took in, a server a reply for every message. Compiled once per
// transport and side, so that nothing is decided per message that the settings have decided already.
//
// Reading. More may be ready after every OK, so a connection is read until WANT_READ before it is waited for, with one
// exception, which saves a system call per message: with one message in flight, when it has come in whole and nothing
// behind it, the peer waits for the answer and nothing more can be there. A turn takes at most `pipeline` messages and
// turn_bytes; a connection with more goes behind the others (`ready_`), because bytes inside a library or a window
// raise no event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/histogram.hpp>
#include <tlsrig/workloads/echo/echo_connection.hpp>
#include <tlsrig/workloads/sockets/clock_look.hpp>
#include <tlsrig/workloads/sockets/turn_loop.hpp>

namespace tlsrig::workloads {

template <class Transport, Side side>
class EchoLoop final : public TurnLoop<EchoLoop<Transport, side>, EchoConnection<Transport>> {
  using Base = TurnLoop<EchoLoop<Transport, side>, EchoConnection<Transport>>;
  using typename Base::Progress;

 public:
  using typename Base::Connection;

  // first_failure: shared with the other loops of the role; outlives them.
  EchoLoop(const EchoShape& shape, int control_fd, FirstFailure& first_failure)
      : Base(control_fd, first_failure),
        shape_(shape),
        message_(shape.layout.make(Purpose::message, shape.out_size)),
        receive_(shape.layout.make(Purpose::receive, receive_size)) {
    Pattern(0, out_direction).fill(message_.span(), 0);
  }

  // Takes in a connection whose handshake is done and whose number is known.
  void adopt(std::unique_ptr<Connection> adopted) {
    Connection& connection = *adopted;
    connection.out_left = shape_.out_size;
    connection.out_pattern = Pattern(connection.end.connection, out_direction);
    connection.in_pattern = Pattern(connection.end.connection, in_direction);
    if (side == Side::client) connection.starts.resize(shape_.pipeline);
    hold(std::move(adopted), EPOLLIN);
    make_ready(connection);  // what came in behind the announcement may lie inside the session already
  }

  // Client: verified traffic until end_ns, then takes in what is in flight.
  void warm_up(std::int64_t end_ns) {
    verifying_ = true;
    start_all();
    goal_ = Goal::stop;
    run_until(end_ns, "warm-up");
    drain("warm-up");
    verifying_ = false;
  }

  // Server: answers, verifying, until the rig wants the next step.
  void serve_warm_up() {
    verifying_ = true;
    goal_ = Goal::stop;
    run_with(control_fd_, EPOLLIN, "warm-up");
    verifying_ = false;
  }

  // Runs until end_ns and freezes.
  void slice(const Slice& slice) {
    if constexpr (side == Side::client) {
      if (outstanding_ == 0)
        start_all();
      else
        paused_ns_ += measure::now_ns() - frozen_ns_;
    }
    measuring_ = slice.measured;
    goal_ = Goal::stop;
    run_until(slice.end_ns, "slice");
    measuring_ = false;
    frozen_ns_ = measure::now_ns();  // not end_ns: the last messages began after it
  }

  // Client: sends nothing new and takes in all replies that are due.
  void drain(const char* step) {
    running_ = false;
    goal_ = Goal::drained;
    run(step);
  }

  // Server: answers until every client has closed in order, and closes in order itself.
  void serve_until_closed() {
    goal_ = Goal::closed;
    run_with(control_fd_, 0, "finish");
    if (open_)
      throw StepError("other", "finish: the rig hung up while " + std::to_string(open_) + " connections were open");
  }

  const measure::Histogram& histogram() const { return histogram_; }
  std::uint64_t moved() const { return received_; }  // messages that came in whole
  std::uint64_t bytes_verified() const { return bytes_verified_; }

 private:
  friend Base;
  using Base::close, Base::flush, Base::hold, Base::make_ready, Base::never, Base::progress_of, Base::run,
      Base::run_until, Base::run_with, Base::wait_for;
  using Base::connections_, Base::control_fd_, Base::end_ns_, Base::open_, Base::step_, Base::stop_;

  enum class Goal { stop, drained, closed };

  static constexpr Direction out_direction = side == Side::client ? Direction::to_server : Direction::to_client;
  static constexpr Direction in_direction = side == Side::client ? Direction::to_client : Direction::to_server;
  static constexpr std::size_t receive_size = 65536;
  static constexpr std::size_t turn_bytes = 131072;

  void start_all() {
    const std::int64_t now = measure::now_ns() - paused_ns_;
    running_ = true;
    for (auto& owned : connections_) {
      Connection& connection = *owned;
      connection.to_send = connection.in_flight = shape_.pipeline;
      connection.oldest = 0;
      std::fill(connection.starts.begin(), connection.starts.end(), now);
      outstanding_ += shape_.pipeline;
      make_ready(connection);
    }
  }

  bool reached() const {
    return (goal_ == Goal::drained && outstanding_ == 0) || (goal_ == Goal::closed && open_ == 0);
  }

  void serve(Connection& connection, std::uint32_t) {
    turn_moved_ = 0;
    if (!take_turn(connection)) make_ready(connection);
  }

  // After calls that have moved payload: the timer's event comes last of a batch, and turns may be long.
  void look_at_clock() {
    if (look_.due() && look_.now() >= end_ns_) [[unlikely]]
      stop_ = true;
  }

  // False when the turn is over and there may be more to do without an event.
  bool take_turn(Connection& connection) {
    if (connection.stage != Stage::traffic) [[unlikely]]
      return close(connection);
    Progress sending = connection.transport.unsent() ? flush(connection) : Progress::done;
    bool nothing_behind = false;
    std::uint32_t messages = 0;
    for (;;) {
      if (stop_) [[unlikely]]
        return false;
      // A write that wants input is tried again after every read: the input may have come with it.
      if (connection.to_send && sending != Progress::wants_room) {
        sending = send_messages(connection);
        if (sending == Progress::turn_over) [[unlikely]]
          return false;
      }
      // A server takes no more work while its answers pile up; a client reads on, or both could block for ever.
      if (side == Side::server && sending == Progress::wants_room) return wait_for(connection, EPOLLOUT);
      if (nothing_behind && sending == Progress::done) {
        connection.transport.expect_input();
        return wait_for(connection, EPOLLIN);
      }
      if (messages >= shape_.pipeline || turn_moved_ >= turn_bytes) [[unlikely]]
        return false;
      std::size_t size = 0;
      const tlsrig_result result = connection.transport.read(receive_.data(), receive_.size(), size);
      if (result != TLSRIG_OK) [[unlikely]]
        return after_read(connection, result, sending);
      const std::uint32_t taken = take_in(connection, size);
      if (taken == 0) [[unlikely]]
        look_at_clock();  // a message that came in whole is answered first: that is when it is looked at again
      messages += taken;
      nothing_behind = shape_.pipeline == 1 && taken == 1 && connection.in_got == 0;
    }
  }

  Progress send_messages(Connection& connection) {
    while (connection.to_send) {
      const std::size_t size = std::min<std::size_t>(connection.out_left, TLSRIG_WRITE_MAX);
      std::uint8_t* const data = message_.data() + (shape_.out_size - connection.out_left);
      if (verifying_) [[unlikely]]
        connection.out_pattern.fill({data, size}, connection.out_offset);  // after WANT_*: the same bytes once more
      std::size_t written = 0;
      const tlsrig_result result = connection.transport.write(data, size, written);
      if (result != TLSRIG_OK) [[unlikely]]
        return progress_of(connection, result);
      look_at_clock();
      connection.out_offset += written;
      turn_moved_ += written;
      connection.out_left -= written;
      if (connection.out_left == 0) {
        connection.out_left = shape_.out_size;
        --connection.to_send;
        if (const Progress flushed = flush(connection); flushed != Progress::done) [[unlikely]]
          return flushed;
        if (stop_) [[unlikely]]
          return Progress::turn_over;
      } else if (turn_moved_ >= turn_bytes || stop_) [[unlikely]] {
        return Progress::turn_over;
      }
    }
    return Progress::done;
  }

  // Returns how many messages are whole now.
  std::uint32_t take_in(Connection& connection, std::size_t size) {
    if (verifying_) [[unlikely]]
      verify(connection, size);
    connection.in_offset += size;
    turn_moved_ += size;
    connection.in_got += size;
    if (connection.in_got < shape_.in_size) return 0;
    const std::size_t whole = connection.in_got == shape_.in_size ? 1 : connection.in_got / shape_.in_size;
    connection.in_got -= whole * shape_.in_size;
    const auto count = static_cast<std::uint32_t>(whole);
    if (side == Side::server)
      take_messages(connection, count);
    else
      take_replies(connection, count);
    received_ += count;
    return count;
  }

  void take_messages(Connection& connection, std::uint32_t count) {
    connection.to_send += count;
    if (connection.to_send > shape_.pipeline) [[unlikely]]
      fail_end(connection.end, "payload", "more messages came in than may be in flight", step_);
  }

  // The end of one message is the start of the next on its connection: one look at the clock serves both.
  void take_replies(Connection& connection, std::uint32_t count) {
    if (count > connection.in_flight) [[unlikely]]
      fail_end(connection.end, "payload", "more reply bytes came in than were asked for", step_);
    const std::int64_t now = measure::now_ns();
    if (now >= end_ns_) stop_ = true;
    const std::int64_t active = now - paused_ns_;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (measuring_) histogram_.add(active - connection.starts[connection.oldest]);
      connection.starts[connection.oldest] = active;
      if (++connection.oldest == shape_.pipeline) connection.oldest = 0;
    }
    if (running_) {
      connection.to_send += count;
    } else {
      connection.in_flight -= count;
      outstanding_ -= count;
    }
  }

  void verify(Connection& connection, std::size_t size) {
    if (const auto wrong = connection.in_pattern.mismatch({receive_.data(), size}, connection.in_offset))
      fail_payload(connection.end, connection.in_offset + *wrong,
                   connection.in_pattern.byte(connection.in_offset + *wrong), receive_.data()[*wrong]);
    bytes_verified_ += size;
  }

  bool after_read(Connection& connection, tlsrig_result result, Progress sending) {
    if (result == TLSRIG_WANT_READ) {
      if (sending != Progress::wants_room && connection.transport.unsent()) sending = flush(connection);
      return wait_for(connection, sending == Progress::wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
    if (result == TLSRIG_WANT_WRITE) return wait_for(connection, EPOLLOUT);
    if (result != TLSRIG_CLOSED) fail_session(connection.end, result, connection.transport.error(), step_);
    if (goal_ != Goal::closed || connection.to_send || connection.in_got)
      fail_end(connection.end, "truncated", "the peer ended the stream in the middle of the traffic", step_);
    return close(connection);
  }

  const EchoShape shape_;
  measure::PlacedBuffer message_, receive_;
  std::int64_t paused_ns_ = 0;  // time between slices, which no message's service time includes
  std::int64_t frozen_ns_ = 0;
  std::uint64_t received_ = 0, bytes_verified_ = 0, outstanding_ = 0;
  std::size_t turn_moved_ = 0;
  ClockLook look_;
  bool running_ = false, measuring_ = false, verifying_ = false;
  Goal goal_ = Goal::stop;
  measure::Histogram histogram_;
};

}  // namespace tlsrig::workloads
