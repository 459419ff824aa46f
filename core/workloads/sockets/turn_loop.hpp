// What the loops of the workloads over sockets are: one thread, one epoll set, its share of the connections, which are
// served in turns. A connection with more to do than an event will tell of, because bytes inside a library or a window
// raise none, goes behind the others into a list (`make_ready`).
//
// Loop derives from it and offers
//   void serve(Connection&, std::uint32_t events);  // a turn; events: those of epoll, 0 from the list
//   bool reached() const;                           // what the run is for is done
// It is a template so that a turn is an ordinary call, which the compiler can see through.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include <tlsrig/net/epoll.hpp>
#include <tlsrig/net/timer.hpp>
#include <tlsrig/workloads/first_failure.hpp>
#include <tlsrig/workloads/sockets/connection.hpp>
#include <tlsrig/workloads/sockets/ready_list.hpp>

namespace tlsrig::workloads {

template <class Loop, class ConnectionType>
class TurnLoop {
 public:
  using Connection = ConnectionType;

  // Closes every connection, without a word to the peer. Nothing but the counts is asked of the loop afterwards.
  void release() {
    ready_.clear();
    connections_.clear();
  }

  const std::vector<std::unique_ptr<Connection>>& connections() const { return connections_; }

 protected:
  enum class Progress { done, wants_room, wants_input, turn_over };

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  // first_failure: shared with the other loops of the role; outlives this one.
  TurnLoop(int control_fd, FirstFailure& first_failure) : control_fd_(control_fd), first_failure_(first_failure) {
    epoll_.add(timer_.fd(), EPOLLIN, nullptr);
    epoll_.add(first_failure_.fd(), EPOLLIN, nullptr);
  }
  ~TurnLoop() = default;

  // Takes in a connection whose handshake is done and whose number is known.
  void hold(std::unique_ptr<Connection> held, std::uint32_t events) {
    Connection& connection = *held;
    connection.interest = events;
    epoll_.add(connection.transport.fd(), events, &connection);
    connections_.push_back(std::move(held));
    ready_.reserve(connections_.size());
    ++open_;
  }

  void make_ready(Connection& connection) { ready_.add(connection); }

  void run_until(std::int64_t end_ns, const char* step) {
    end_ns_ = end_ns;
    timer_.set(end_ns);
    run(step);
    timer_.disarm();
    end_ns_ = never;
  }

  // Serves connections until what it is for is reached; readiness of another descriptor (the timer, one of run_with)
  // ends it too. So does another loop's failure, which is then thrown here as well: whatever this loop has met itself
  // came of it.
  void run(const char* step) {
    step_ = step;
    stop_ = false;
    try {
      while (!stop_ && !self().reached()) {
        const int count = epoll_.wait(events_, ready_.empty() ? -1 : 0);
        for (int i = 0; i < count && !stop_; ++i) {
          const epoll_event& event = events_[static_cast<std::size_t>(i)];
          if (event.data.ptr) [[likely]]
            self().serve(*static_cast<Connection*>(event.data.ptr), event.events);
          else
            stop_ = true;
        }
        ready_.serve(stop_, [this](Connection& connection) { self().serve(connection, 0); });
      }
      first_failure_.rethrow();
    } catch (...) {
      first_failure_.report(std::current_exception());  // before the peer can answer to what follows
      // The peer shall see an end now, not when this process is taken down.
      for (auto& connection : connections_) net::abandon(connection->transport.fd());
      first_failure_.rethrow();
    }
  }

  // The same until fd shows one of these events (0: its hang-up) at the latest.
  void run_with(int fd, std::uint32_t events, const char* step) {
    epoll_.add(fd, events, nullptr);
    run(step);
    epoll_.remove(fd);
  }

  bool wait_for(Connection& connection, std::uint32_t events) {
    if (connection.interest != events) [[unlikely]] {
      connection.interest = events;
      epoll_.modify(connection.transport.fd(), events, &connection);
    }
    return true;
  }

  Progress progress_of(Connection& connection, tlsrig_result result) {
    if (result == TLSRIG_OK) [[likely]]
      return Progress::done;
    if (result == TLSRIG_WANT_WRITE) return Progress::wants_room;
    if (result == TLSRIG_WANT_READ) return Progress::wants_input;
    fail_session(connection.end, result, connection.transport.error(), step_);
  }

  Progress flush(Connection& connection) { return progress_of(connection, connection.transport.flush()); }

  // After CLOSED: answers with its own end. The socket itself stays until the step is over.
  bool close(Connection& connection) {
    if (connection.stage == Stage::closed) return true;  // an event closed it while it stood in the list
    connection.stage = Stage::closing;
    tlsrig_result result = connection.transport.shutdown();
    if (result == TLSRIG_OK) result = connection.transport.flush();
    if (result == TLSRIG_WANT_READ) return wait_for(connection, EPOLLIN);
    if (result == TLSRIG_WANT_WRITE) return wait_for(connection, EPOLLOUT);
    if (result != TLSRIG_OK) fail_session(connection.end, result, connection.transport.error(), "shutdown");
    net::end_output(connection.transport.fd());
    epoll_.remove(connection.transport.fd());
    connection.stage = Stage::closed;
    --open_;
    return true;
  }

  const int control_fd_;
  FirstFailure& first_failure_;
  net::Epoll epoll_;
  net::Timer timer_;
  std::int64_t end_ns_ = never;
  bool stop_ = false;
  const char* step_ = "";
  std::size_t open_ = 0;  // connections that are not closed in order
  ReadyList<Connection> ready_;
  std::vector<std::unique_ptr<Connection>> connections_;

 private:
  Loop& self() { return static_cast<Loop&>(*this); }

  std::array<epoll_event, 64> events_;
};

}  // namespace tlsrig::workloads
