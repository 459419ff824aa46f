// The echo workload: a client sends messages, a server answers each, over connections of loopback TCP.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <tlsrig/workloads/echo/echo_loop.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/role_counts.hpp>
#include <tlsrig/workloads/team.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

// Throws StepError for settings that echo does not offer.
std::unique_ptr<Participant> make_echo(const Assignment& assignment);

// One of the two roles over one of the two transports; both in a file of their own.
std::unique_ptr<Participant> make_echo_server(const Assignment& assignment);
std::unique_ptr<Participant> make_echo_client(const Assignment& assignment);

EchoShape echo_shape(const Assignment& assignment, Side side);
TransportOptions transport_options(const Assignment& assignment, Side side);

// The loops of one role, a thread each, and its part of a step's answers. Connection i belongs to loop i % threads.
template <class Transport, Side side>
class EchoLoops {
 public:
  using Loop = EchoLoop<Transport, side>;
  using Connection = EchoConnection<Transport>;

  explicit EchoLoops(const Assignment& assignment)
      : shape_(echo_shape(assignment, side)), team_(assignment.settings.traffic.threads) {
    for (unsigned i = 0; i < team_.threads(); ++i)
      loops_.push_back(std::make_unique<Loop>(shape_, assignment.control_fd, first_failure_));
  }

  void adopt(std::unique_ptr<Connection> connection) {
    const std::size_t index = connection->end.connection % loops_.size();
    loops_[index]->adopt(std::move(connection));
  }

  // Runs a part of a step that talks to the peer outside the loops. When it fails every connection is closed before the
  // failure goes on: the worker lives until the rig has heard of it, and until then the peer would wait for nothing.
  template <class Part>
  void guard(Part&& part) {
    try {
      part();
    } catch (...) {
      for (auto& loop : loops_) loop->release();
      throw;
    }
  }

  // Runs a part for every connection, one after the other, with the same care.
  template <class Part>
  void each(Part&& part) {
    guard([&] {
      for (auto& loop : loops_)
        for (auto& connection : loop->connections()) part(*connection);
    });
  }

  // The verified traffic of warm_up; gives what warm_up gives. Records are counted here alone.
  template <class Part>
  Json warm_up(Part&& part) {
    counts_.warm_up_begin = mark();
    run(part);
    for (auto& loop : loops_)
      for (auto& connection : loop->connections()) connection->transport.socket().stop_reading();
    counts_.warm_up_end = mark();
    return verified();
  }

  // Before the ends of the streams go over the wire: what was measured ends here. (Nothing is called between slices.)
  void end_measuring() { counts_.measured_end = mark(); }

  // Runs a part of a step in every loop at once. Throws what the first loop that failed threw.
  template <class Part>
  void run(Part&& part) {
    team_.run([&](unsigned member) { part(*loops_[member]); });
  }

  SliceCount slice(const Slice& slice) {
    measure::sleep_until_ns(slice.begin_ns);
    std::atomic<std::uint64_t> operations = 0;
    run([&](Loop& loop) { operations += loop.slice(slice.end_ns); });
    return {operations, 1e-9 * static_cast<double>(slice.end_ns - slice.begin_ns)};
  }

  // Ends every connection by `close`, and gives what finish gives.
  template <class Close>
  Json finish(Close&& close) {
    Json totals = count_up();
    each(close);
    for (auto& loop : loops_) loop->release();
    return totals;
  }

 private:
  Json verified() const {
    std::uint64_t sum = 0;
    for (const auto& loop : loops_) sum += loop->bytes_verified();
    return {{"bytes_verified", sum}};
  }

  RoleCounts::Mark mark() const {
    RoleCounts::Mark mark;
    for (const auto& loop : loops_) {
      mark.operations += loop->messages();
      for (const auto& connection : loop->connections())
        mark.wire += connection->transport.socket().counts(connection->in_offset, connection->out_offset);
    }
    return mark;
  }

  // From the counts of all connections, which are still there.
  Json count_up() const {
    std::uint64_t messages = 0, in = 0, out = 0;
    measure::Histogram histogram;
    for (const auto& loop : loops_) {
      messages += loop->messages();
      histogram.merge(loop->histogram());
      for (const auto& connection : loop->connections()) {
        in += connection->in_offset;
        out += connection->out_offset;
      }
    }
    Json buckets = nullptr;
    if (side == Side::client) {
      buckets = Json::array();
      for (const auto& [upper_ns, count] : histogram.sparse()) buckets.push_back({upper_ns, count});
    }
    return {{"messages", messages},
            {"payload_bytes_in", in},
            {"payload_bytes_out", out},
            {"histogram", std::move(buckets)},
            {"layout", shape_.layout.to_json()},
            {"counts", {{side == Side::client ? "client" : "server", counts_.to_json()}}}};
  }

  const EchoShape shape_;
  FirstFailure first_failure_;
  RoleCounts counts_;
  std::vector<std::unique_ptr<Loop>> loops_;
  Team team_;
};

}  // namespace tlsrig::workloads
