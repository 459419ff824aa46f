// The measured loop of a relay: one thread, one epoll set, its share of the connections. What runs are directions: an
// event of a leg runs the one that waits for it, so that a stream one way costs no call for the other. A direction
// whose turn is over goes behind the others (`ready_`).
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/net/epoll.hpp>
#include <tlsrig/net/timer.hpp>
#include <tlsrig/workloads/relay/casualties.hpp>
#include <tlsrig/workloads/relay/relay_connection.hpp>
#include <tlsrig/workloads/sockets/ready_list.hpp>

namespace tlsrig::workloads {

template <class Transport>
class RelayLoop {
 public:
  using Connection = RelayConnection<Transport>;
  using Direction = Forwarder<Transport>;

  // casualties: shared with the other loops; both outlive it.
  RelayLoop(const RelayShape& shape, int control_fd, Casualties& casualties)
      : control_fd_(control_fd),
        casualties_(casualties),
        buffer_(shape.layout.make(Purpose::receive, shape.gathered_max)) {
    turn_.buffer = buffer_.data();
    epoll_.add(timer_.fd(), EPOLLIN, nullptr);
  }

  // Takes in a connection whose announcement was forwarded.
  void adopt(std::unique_ptr<Connection> adopted) {
    Connection& connection = *adopted;
    connections_.push_back(std::move(adopted));
    ready_.reserve(2 * connections_.size());
    ++open_;
    // What came in behind handshake and announcement may lie inside the sessions already.
    ready_.add(connection.to_server);
    ready_.add(connection.to_client);
  }

  // Takes in what the servers have sent behind their handshakes, while they have no payload to send.
  void settle_handshakes() {
    turn_.step = "warm-up";
    for (auto& connection : connections_) serve(connection->to_client);
  }

  // Forwards until the rig wants the next step, or until soon after a connection has failed: the rig shall hear of that
  // before it hears of its consequences alone.
  void serve_warm_up() {
    epoll_.add(control_fd_, EPOLLIN, nullptr);
    epoll_.add(casualties_.fd(), EPOLLIN, &casualties_);
    watches_casualties_ = true;
    run("warm-up", false);
    if (watches_casualties_) epoll_.remove(casualties_.fd());
    epoll_.remove(control_fd_);
    timer_.disarm();
  }

  // Forwards until end_ns and freezes.
  void slice(std::int64_t end_ns) {
    turn_.end_ns = end_ns;
    timer_.set(end_ns);
    run("slice", false);
    timer_.disarm();
    turn_.end_ns = Turn::never;
  }

  // Forwards until every connection has ended both ways.
  void serve_until_closed() {
    epoll_.add(control_fd_, 0, nullptr);  // for its hang-up alone
    run("finish", true);
    epoll_.remove(control_fd_);
    if (open_)
      throw StepError("other", "finish: the rig hung up while " + std::to_string(open_) + " connections were open");
  }

  // Closes every connection, without a word to the peers. Nothing but the counts is asked of the loop afterwards.
  void release() {
    ready_.clear();
    connections_.clear();
  }

  const std::vector<std::unique_ptr<Connection>>& connections() const { return connections_; }

 private:
  static constexpr std::int64_t told_within_ns = 50'000'000;

  // An event without an owner, the timer's or the rig's, ends it.
  void run(const char* step, bool until_closed) {
    turn_.step = step;
    turn_.stop = false;
    try {
      while (!turn_.stop && !(until_closed && open_ == 0)) {
        const int count = epoll_.wait(events_, ready_.empty() ? -1 : 0);
        for (int i = 0; i < count && !turn_.stop; ++i) take_event(events_[static_cast<std::size_t>(i)]);
        serve_ready();
      }
    } catch (...) {
      casualties_.add(std::current_exception());  // so that the other loops of a warm-up end too
      for (auto& connection : connections_) net::abandon(connection->inbound->transport.fd());
      for (auto& connection : connections_) net::abandon(connection->outbound->transport.fd());
      throw;
    }
  }

  void take_event(const epoll_event& event) {
    if (event.data.ptr == &casualties_) [[unlikely]] {
      epoll_.remove(casualties_.fd());
      watches_casualties_ = false;
      timer_.set(measure::now_ns() + told_within_ns);
    } else if (event.data.ptr) [[likely]] {
      serve_leg(*static_cast<Leg<Transport>*>(event.data.ptr), event.events);
    } else {
      turn_.stop = true;
    }
  }

  void serve_leg(Leg<Transport>& leg, std::uint32_t events) {
    if (events & (EPOLLERR | EPOLLHUP)) [[unlikely]]
      events |= EPOLLIN | EPOLLOUT;
    if (events & events_for_reader(leg)) serve(*leg.reader);
    if (events & events_for_writer(leg)) serve(*leg.writer);
  }

  void serve_ready() {
    ready_.serve(turn_.stop, [this](Direction& direction) { serve(direction); });
  }

  // Any call may take the input or make the room that the other direction waits for on the same session, and a read may
  // leave something to be sent: then the other direction, which writes there, has a turn too.
  void serve(Direction& direction) {
    run_turn(direction);
    Leg<Transport>& source = direction.source();
    Direction& other = *source.writer;
    if (other.wait() == Wait::sink_input || other.wait() == Wait::source_room ||
        (source.transport.unsent() && other.wait() != Wait::sink_room)) [[unlikely]]
      run_turn(other);
  }

  void run_turn(Direction& direction) {
    Connection& connection = *direction.source().connection;
    if (connection.closed || direction.wait() == Wait::over) [[unlikely]]
      return;
    const Wait before = direction.wait();
    turn_.over = false;
    try {
      direction.turn(turn_);
    } catch (const StepError&) {
      return tear_down(connection);
    } catch (const host::Unsupported&) {
      return tear_down(connection);
    }
    if (direction.wait() == Wait::nothing)
      ready_.add(direction);
    else if (direction.wait() != before)
      settle(connection);
  }

  // In a handler. What the backend left to be said, an alert, is out. A session that ends without close_notify is
  // truncated to its peer; a plain one would look like an orderly end, so its peer gets a reset.
  [[gnu::cold]] void tear_down(Connection& connection) {
    casualties_.add(std::current_exception());
    for (Leg<Transport>* leg : {connection.inbound.get(), connection.outbound.get()}) {
      watch(*leg, 0);
      const int fd = leg->transport.fd();
      if (leg->plain)
        net::reset(fd);
      else
        net::abandon(fd);
    }
    connection.closed = true;
    --open_;
  }

  void settle(Connection& connection) {
    for (Leg<Transport>* leg : {connection.inbound.get(), connection.outbound.get()})
      watch(*leg, events_for_reader(*leg) | events_for_writer(*leg));
    if (connection.to_server.wait() == Wait::over && connection.to_client.wait() == Wait::over) {
      connection.closed = true;
      --open_;
    }
  }

  static std::uint32_t events_for_reader(const Leg<Transport>& leg) {
    const Wait wait = leg.reader->wait();
    if (wait == Wait::source_input) return EPOLLIN;
    return wait == Wait::source_room ? std::uint32_t{EPOLLOUT} : 0;
  }

  static std::uint32_t events_for_writer(const Leg<Transport>& leg) {
    const Wait wait = leg.writer->wait();
    if (wait == Wait::sink_room) return EPOLLOUT;
    return wait == Wait::sink_input ? std::uint32_t{EPOLLIN} : 0;
  }

  // A leg that nothing is waited for is not watched at all: one that has hung up would raise an event at every turn.
  void watch(Leg<Transport>& leg, std::uint32_t events) {
    if (leg.interest == events) return;
    const int fd = leg.transport.fd();
    if (events == 0)
      epoll_.remove(fd);
    else if (leg.interest == 0)
      epoll_.add(fd, events, &leg);
    else
      epoll_.modify(fd, events, &leg);
    leg.interest = events;
  }

  const int control_fd_;
  Casualties& casualties_;
  net::Epoll epoll_;
  net::Timer timer_;
  measure::PlacedBuffer buffer_;
  Turn turn_;
  bool watches_casualties_ = false;
  std::size_t open_ = 0;
  ReadyList<Direction> ready_;
  std::array<epoll_event, 64> events_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace tlsrig::workloads
