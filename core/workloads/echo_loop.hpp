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
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/histogram.hpp>
#include <tlsrig/net/epoll.hpp>
#include <tlsrig/net/timer.hpp>
#include <tlsrig/workloads/echo_connection.hpp>

namespace tlsrig::workloads {

template <class Transport, Side side>
class EchoLoop {
 public:
  using Connection = EchoConnection<Transport>;

  EchoLoop(const EchoShape& shape, int control_fd)
      : shape_(shape),
        control_fd_(control_fd),
        message_(shape.layout.make(Purpose::message, shape.out_size)),
        receive_(shape.layout.make(Purpose::receive, receive_size)) {
    Pattern(0, out_direction).fill(message_.span(), 0);
    epoll_.add(timer_.fd(), EPOLLIN, nullptr);
  }

  // Takes in a connection whose handshake is done and whose number is known.
  void adopt(std::unique_ptr<Connection> connection) {
    Connection& c = *connection;
    c.out_left = shape_.out_size;
    c.out_pattern = Pattern(c.end.connection, out_direction);
    c.in_pattern = Pattern(c.end.connection, in_direction);
    if (side == Side::client) c.starts.resize(shape_.pipeline);
    epoll_.add(c.transport.fd(), EPOLLIN, &c);
    connections_.push_back(std::move(connection));
    ready_.reserve(connections_.size());
    turning_.reserve(connections_.size());
    ++open_;
    make_ready(c);  // what came in behind the announcement may lie inside the session already
  }

  // Client: verified traffic until end_ns, then takes in what is in flight.
  void warm_up(std::int64_t end_ns) {
    verifying_ = true;
    start_all();
    run_until(end_ns, "warm-up");
    drain("warm-up");
    verifying_ = false;
  }

  // Server: answers, verifying, until the rig wants the next step.
  void serve_warm_up() {
    verifying_ = true;
    epoll_.add(control_fd_, EPOLLIN, nullptr);
    run("warm-up", Goal::stop);
    epoll_.remove(control_fd_);
    verifying_ = false;
  }

  // Runs until end_ns and freezes. Returns how many messages came in whole.
  std::uint64_t slice(std::int64_t end_ns) {
    const std::uint64_t before = received_;
    if constexpr (side == Side::client) {
      if (outstanding_ == 0)
        start_all();
      else
        paused_ns_ += measure::now_ns() - frozen_ns_;
    }
    measuring_ = true;
    run_until(end_ns, "slice");
    measuring_ = false;
    frozen_ns_ = end_ns;
    return received_ - before;
  }

  // Client: sends nothing new and takes in all replies that are due.
  void drain(const char* step) {
    running_ = false;
    if (outstanding_) run(step, Goal::drained);
  }

  // Server: answers until every client has closed in order, and closes in order itself.
  void serve_until_closed() {
    epoll_.add(control_fd_, 0, nullptr);  // for its hang-up alone
    run("finish", Goal::closed);
    epoll_.remove(control_fd_);
    if (open_)
      throw StepError("other", "finish: the rig hung up while " + std::to_string(open_) + " connections were open");
  }

  // Closes every connection, without a word to the peer. Nothing but the counts is asked of the loop afterwards.
  void release() {
    ready_.clear();
    connections_.clear();
  }

  const std::vector<std::unique_ptr<Connection>>& connections() const { return connections_; }
  const measure::Histogram& histogram() const { return histogram_; }
  std::uint64_t messages() const { return received_; }
  std::uint64_t bytes_verified() const { return bytes_verified_; }

 private:
  enum class Goal { stop, drained, closed };
  enum class Progress { done, blocked, turn_over };

  static constexpr Direction out_direction = side == Side::client ? Direction::to_server : Direction::to_client;
  static constexpr Direction in_direction = side == Side::client ? Direction::to_client : Direction::to_server;
  static constexpr std::size_t receive_size = 65536;
  static constexpr std::size_t turn_bytes = 131072;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  void start_all() {
    const std::int64_t now = measure::now_ns() - paused_ns_;
    running_ = true;
    for (auto& connection : connections_) {
      Connection& c = *connection;
      c.to_send = c.in_flight = shape_.pipeline;
      c.oldest = 0;
      std::fill(c.starts.begin(), c.starts.end(), now);
      outstanding_ += shape_.pipeline;
      make_ready(c);
    }
  }

  void make_ready(Connection& c) {
    if (c.ready) return;
    c.ready = true;
    ready_.push_back(&c);
  }

  void run_until(std::int64_t end_ns, const char* step) {
    end_ns_ = end_ns;
    timer_.set(end_ns);
    run(step, Goal::stop);
    timer_.disarm();
    end_ns_ = never;
  }

  // Serves connections until the goal is reached; an event without an owner, the timer's or the rig's, ends it too.
  void run(const char* step, Goal goal) {
    step_ = step;
    goal_ = goal;
    stop_ = false;
    try {
      while (!stop_ && !(goal == Goal::drained && outstanding_ == 0) && !(goal == Goal::closed && open_ == 0)) {
        const int count = epoll_.wait(events_, ready_.empty() ? -1 : 0);
        for (int i = 0; i < count && !stop_; ++i) {
          void* const owner = events_[static_cast<std::size_t>(i)].data.ptr;
          if (owner) [[likely]]
            serve(*static_cast<Connection*>(owner));
          else
            stop_ = true;
        }
        if (!ready_.empty()) serve_ready();
      }
    } catch (...) {
      // The peer shall see an end now, not when this process is taken down.
      for (auto& connection : connections_) net::abandon(connection->transport.fd());
      throw;
    }
  }

  void serve_ready() {
    turning_.swap(ready_);
    for (std::size_t i = 0; i < turning_.size(); ++i) {
      if (stop_) {
        ready_.push_back(turning_[i]);  // still flagged: its turn comes in the next step
        continue;
      }
      turning_[i]->ready = false;
      serve(*turning_[i]);
    }
    turning_.clear();
  }

  void serve(Connection& c) {
    turn_moved_ = 0;
    if (!take_turn(c)) make_ready(c);
    // Turns of many bytes take long, and the timer's event comes last of a batch: so the clock is asked in between, at
    // most once per turn_bytes.
    work_ += turn_moved_;
    if (work_ >= turn_bytes) [[unlikely]] {
      work_ = 0;
      if (measure::now_ns() >= end_ns_) stop_ = true;
    }
  }

  // False when the turn is over and there may be more to do without an event.
  bool take_turn(Connection& c) {
    if (c.stage != Stage::traffic) [[unlikely]]
      return close(c);
    bool blocked = c.transport.unsent() && !flushed(c);
    bool nothing_behind = false;
    std::uint32_t messages = 0;
    for (;;) {
      if (stop_) [[unlikely]]
        return false;
      if (c.to_send && !blocked) {
        const Progress progress = send_messages(c);
        if (progress == Progress::turn_over) [[unlikely]]
          return false;
        blocked = progress == Progress::blocked;
      }
      // A server takes no more work while its answers pile up; a client reads on, or both could block for ever.
      if (side == Side::server && blocked) return wait_for(c, EPOLLOUT);
      if (nothing_behind && !blocked) {
        c.transport.expect_input();
        return wait_for(c, EPOLLIN);
      }
      if (messages >= shape_.pipeline || turn_moved_ >= turn_bytes) [[unlikely]]
        return false;
      std::size_t size = 0;
      const tlsrig_result result = c.transport.read(receive_.data(), receive_.size(), size);
      if (result != TLSRIG_OK) [[unlikely]]
        return after_read(c, result, blocked);
      const std::uint32_t taken = take_in(c, size);
      messages += taken;
      nothing_behind = shape_.pipeline == 1 && taken == 1 && c.in_got == 0;
    }
  }

  Progress send_messages(Connection& c) {
    while (c.to_send) {
      const std::size_t size = std::min<std::size_t>(c.out_left, TLSRIG_WRITE_MAX);
      std::uint8_t* const data = message_.data() + (shape_.out_size - c.out_left);
      if (verifying_) [[unlikely]]
        c.out_pattern.fill({data, size}, c.out_offset);  // after WANT_WRITE: the same bytes once more
      std::size_t written = 0;
      const tlsrig_result result = c.transport.write(data, size, written);
      if (result != TLSRIG_OK) [[unlikely]]
        return blocked(c, result);
      c.out_offset += written;
      turn_moved_ += written;
      c.out_left -= written;
      if (c.out_left == 0) {
        c.out_left = shape_.out_size;
        --c.to_send;
        if (!flushed(c)) [[unlikely]]
          return Progress::blocked;
      } else if (turn_moved_ >= turn_bytes || stop_) [[unlikely]] {
        return Progress::turn_over;
      }
    }
    return Progress::done;
  }

  Progress blocked(Connection& c, tlsrig_result result) {
    if (result == TLSRIG_WANT_WRITE || result == TLSRIG_WANT_READ) return Progress::blocked;
    fail_session(c.end, result, c.transport.error(), step_);
  }

  bool flushed(Connection& c) {
    const tlsrig_result result = c.transport.flush();
    if (result == TLSRIG_OK) [[likely]]
      return true;
    return blocked(c, result) == Progress::done;
  }

  // Returns how many messages are whole now.
  std::uint32_t take_in(Connection& c, std::size_t size) {
    if (verifying_) [[unlikely]]
      verify(c, size);
    c.in_offset += size;
    turn_moved_ += size;
    c.in_got += size;
    if (c.in_got < shape_.in_size) return 0;
    const std::size_t whole = c.in_got == shape_.in_size ? 1 : c.in_got / shape_.in_size;
    c.in_got -= whole * shape_.in_size;
    const auto count = static_cast<std::uint32_t>(whole);
    if (side == Side::server)
      take_messages(c, count);
    else
      take_replies(c, count);
    received_ += count;
    return count;
  }

  void take_messages(Connection& c, std::uint32_t count) {
    c.to_send += count;
    if (c.to_send > shape_.pipeline) [[unlikely]]
      fail_end(c.end, "payload", "more messages came in than may be in flight", step_);
  }

  // The end of one message is the start of the next on its connection: one look at the clock serves both.
  void take_replies(Connection& c, std::uint32_t count) {
    if (count > c.in_flight) [[unlikely]]
      fail_end(c.end, "payload", "more reply bytes came in than were asked for", step_);
    const std::int64_t now = measure::now_ns();
    if (now >= end_ns_) stop_ = true;
    const std::int64_t active = now - paused_ns_;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (measuring_) histogram_.add(active - c.starts[c.oldest]);
      c.starts[c.oldest] = active;
      if (++c.oldest == shape_.pipeline) c.oldest = 0;
    }
    if (running_) {
      c.to_send += count;
    } else {
      c.in_flight -= count;
      outstanding_ -= count;
    }
  }

  void verify(Connection& c, std::size_t size) {
    if (const auto wrong = c.in_pattern.mismatch({receive_.data(), size}, c.in_offset))
      fail_payload(c.end, c.in_offset + *wrong, c.in_pattern.byte(c.in_offset + *wrong), receive_.data()[*wrong]);
    bytes_verified_ += size;
  }

  bool after_read(Connection& c, tlsrig_result result, bool is_blocked) {
    if (result == TLSRIG_WANT_READ) {
      if (!is_blocked && c.transport.unsent()) is_blocked = !flushed(c);
      return wait_for(c, is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
    if (result == TLSRIG_WANT_WRITE) return wait_for(c, EPOLLOUT);
    if (result != TLSRIG_CLOSED) fail_session(c.end, result, c.transport.error(), step_);
    if (goal_ != Goal::closed || c.to_send || c.in_got)
      fail_end(c.end, "truncated", "the peer ended the stream in the middle of the traffic", step_);
    c.stage = Stage::closing;
    return close(c);
  }

  // Server, after CLOSED: answers with its own end. The socket itself stays until the step is over.
  bool close(Connection& c) {
    if (c.stage == Stage::closed) return true;  // an event closed it while it stood in the list
    tlsrig_result result = c.transport.shutdown();
    if (result == TLSRIG_OK) result = c.transport.flush();
    if (result == TLSRIG_WANT_READ) return wait_for(c, EPOLLIN);
    if (result == TLSRIG_WANT_WRITE) return wait_for(c, EPOLLOUT);
    if (result != TLSRIG_OK) fail_session(c.end, result, c.transport.error(), "shutdown");
    net::end_output(c.transport.fd());
    epoll_.remove(c.transport.fd());
    c.stage = Stage::closed;
    --open_;
    return true;
  }

  bool wait_for(Connection& c, std::uint32_t events) {
    if (c.interest != events) [[unlikely]] {
      c.interest = events;
      epoll_.modify(c.transport.fd(), events, &c);
    }
    return true;
  }

  const EchoShape shape_;
  const int control_fd_;
  net::Epoll epoll_;
  net::Timer timer_;
  measure::PlacedBuffer message_, receive_;
  std::int64_t end_ns_ = never;
  std::int64_t paused_ns_ = 0;  // time between slices, which no message's service time includes
  std::int64_t frozen_ns_ = 0;
  std::uint64_t received_ = 0, bytes_verified_ = 0, outstanding_ = 0;
  std::size_t turn_moved_ = 0, work_ = 0;
  bool stop_ = false, running_ = false, measuring_ = false, verifying_ = false;
  const char* step_ = "";
  Goal goal_ = Goal::stop;
  std::size_t open_ = 0;
  std::vector<Connection*> ready_, turning_;
  std::array<epoll_event, 64> events_;
  measure::Histogram histogram_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace tlsrig::workloads
