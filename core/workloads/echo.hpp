// The echo workload: a client sends messages, a server answers each, over connections of loopback TCP.
#pragma once

#include <memory>

#include <tlsrig/workloads/echo_loop.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/transport.hpp>

namespace tlsrig::workloads {

// Throws StepError for settings that echo does not offer.
std::unique_ptr<Participant> make_echo(const Assignment& assignment);

// One of the two roles over one of the two transports; both in a file of their own.
std::unique_ptr<Participant> make_echo_server(const Assignment& assignment);
std::unique_ptr<Participant> make_echo_client(const Assignment& assignment);

EchoShape echo_shape(const Assignment& assignment, Side side);
TransportOptions transport_options(const Assignment& assignment, Side side);

// Connection i belongs to loop i % threads.
template <class Transport, Side side>
class EchoLoops {
 public:
  using Loop = EchoLoop<Transport, side>;
  using Connection = EchoConnection<Transport>;

  explicit EchoLoops(const Assignment& assignment) {
    const std::uint32_t threads = assignment.settings.traffic.threads;
    for (std::uint32_t i = 0; i < threads; ++i)
      loops_.push_back(std::make_unique<Loop>(echo_shape(assignment, side), assignment.control_fd));
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

  std::size_t size() const { return loops_.size(); }
  Loop& operator[](std::size_t index) { return *loops_[index]; }
  auto begin() { return loops_.begin(); }
  auto end() { return loops_.end(); }

  std::uint64_t bytes_verified() const {
    std::uint64_t sum = 0;
    for (const auto& loop : loops_) sum += loop->bytes_verified();
    return sum;
  }

  // What finish gives, from the counts of all connections, which are still there.
  Json totals(const Layout& layout) {
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
            {"layout", layout.to_json()}};
  }

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace tlsrig::workloads
