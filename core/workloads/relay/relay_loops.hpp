// The loops of a relay, a thread each, and what they come to together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tlsrig/workloads/relay/relay_loop.hpp>
#include <tlsrig/workloads/role_counts.hpp>
#include <tlsrig/workloads/team.hpp>

namespace tlsrig::workloads {

// Connection i belongs to loop i % threads.
template <class Transport>
class RelayLoops {
 public:
  using Loop = RelayLoop<Transport>;
  using Connection = RelayConnection<Transport>;

  // main: the direction whose payload is counted, in units of message_size.
  RelayLoops(const RelayShape& shape, const Assignment& assignment, scenario::Direction main)
      : main_(main),
        message_size_(assignment.settings.traffic.message_size),
        team_(assignment.settings.traffic.threads) {
    for (unsigned i = 0; i < team_.threads(); ++i)
      loops_.push_back(std::make_unique<Loop>(shape, assignment.control_fd, casualties_));
  }

  void adopt(std::unique_ptr<Connection> connection) {
    const std::size_t index = connection->inbound->end.connection % loops_.size();
    loops_[index]->adopt(std::move(connection));
  }

  void release() {
    for (auto& loop : loops_) loop->release();
  }

  // Records are counted here alone. Tickets are no part of any message, so they are read before that, unless payload
  // may come behind them: read by then and forwarded later, it would be missing among the records.
  void warm_up() {
    if (main_ == scenario::Direction::to_server)
      team_.run([&](unsigned member) { loops_[member]->settle_handshakes(); });
    mark(&RoleCounts::warm_up_begin);
    run([](Loop& loop) { loop.serve_warm_up(); });
    for (auto& loop : loops_)
      for (auto& connection : loop->connections())
        for (auto* leg : {connection->inbound.get(), connection->outbound.get()})
          leg->transport.socket().stop_reading();
    mark(&RoleCounts::warm_up_end);
    mark(&RoleCounts::measured_begin);
  }

  // Returns the operations.
  std::uint64_t slice(const Slice& slice) {
    const std::uint64_t before = operations();
    run([&](Loop& loop) { loop.slice(slice.end_ns); });
    if (!slice.measured) mark(&RoleCounts::measured_begin);
    return operations() - before;
  }

  // Gives what finish gives.
  Json finish(const Layout& layout) {
    mark(&RoleCounts::measured_end);
    run([](Loop& loop) { loop.serve_until_closed(); });
    std::uint64_t in = 0, out = 0;
    each([&](const Connection& connection) {
      in += connection.to_server.bytes_in() + connection.to_client.bytes_in();
      out += connection.to_server.bytes_out() + connection.to_client.bytes_out();
    });
    Json totals{{"messages", operations()},
                {"payload_bytes_in", in},
                {"payload_bytes_out", out},
                {"histogram", nullptr},
                {"layout", layout.to_json()},
                {"counts", {{"relay_inbound", inbound_.to_json()}, {"relay_outbound", outbound_.to_json()}}}};
    release();
    return totals;
  }

 private:
  // Runs a part of a step in every loop at once. Throws what failed in any of them since the relay was made.
  template <class Part>
  void run(Part&& part) {
    team_.run([&](unsigned member) { part(*loops_[member]); });
    casualties_.rethrow();
  }

  template <class Part>
  void each(Part&& part) const {
    for (const auto& loop : loops_)
      for (const auto& connection : loop->connections()) part(*connection);
  }

  std::uint64_t operations() const {
    std::uint64_t bytes = 0;
    each([&](const Connection& connection) {
      bytes += (main_ == scenario::Direction::to_server ? connection.to_server : connection.to_client).bytes_out();
    });
    return bytes / message_size_;
  }

  // Sets a mark of both legs to what they have come to.
  void mark(RoleCounts::Mark RoleCounts::*which) {
    RoleCounts::Mark inbound, outbound;
    inbound.operations = outbound.operations = operations();
    each([&](const Connection& connection) {
      const auto &there = connection.to_server, &back = connection.to_client;
      inbound.wire += connection.inbound->transport.socket().counts(there.bytes_in(), back.bytes_out());
      outbound.wire += connection.outbound->transport.socket().counts(back.bytes_in(), there.bytes_out());
    });
    inbound_.*which = inbound;
    outbound_.*which = outbound;
  }

  const scenario::Direction main_;
  const std::uint64_t message_size_;
  Casualties casualties_;
  RoleCounts inbound_, outbound_;
  std::vector<std::unique_ptr<Loop>> loops_;
  Team team_;
};

}  // namespace tlsrig::workloads
