// The echo workload: a client sends messages, a server answers each, over connections of loopback TCP.
#pragma once

#include <memory>

#include <tlsrig/workloads/echo/echo_loop.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/sockets/loop_team.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

// Throws StepError for settings that echo does not offer.
std::unique_ptr<Participant> make_echo(const Assignment& assignment);

// One of the two roles over one of the two transports; both in a file of their own.
std::unique_ptr<Participant> make_echo_server(const Assignment& assignment);
std::unique_ptr<Participant> make_echo_client(const Assignment& assignment);

EchoShape echo_shape(const Assignment& assignment, Side side);
TransportOptions transport_options(const Assignment& assignment, Side side);

// The loops of one role, and its part of a step's answers.
template <class Transport, Side side>
class EchoLoops : public LoopTeam<EchoLoop<Transport, side>> {
 public:
  using Loop = EchoLoop<Transport, side>;
  using Team = LoopTeam<Loop>;

  explicit EchoLoops(const Assignment& assignment)
      : Team(assignment.settings.traffic.threads, 1,
             [&](FirstFailure& first_failure) {
               return std::make_unique<Loop>(echo_shape(assignment, side), assignment.control_fd, first_failure);
             }),
        layout_(assignment.placement_seed) {}

  // The verified traffic of warm_up; gives what warm_up gives.
  template <class Part>
  Json warm_up(Part&& part) {
    this->begin_warm_up();
    this->run(part);
    this->end_warm_up();
    return {{"bytes_verified", this->bytes_verified()}};
  }

  // What finish gives.
  Json totals() const {
    Json totals = Team::totals(side == Side::client ? "client" : "server", layout_.to_json());
    if (side == Side::server) return totals;
    measure::Histogram histogram;
    for (const auto& loop : this->loops()) histogram.merge(loop->histogram());
    Json& buckets = totals["histogram"] = Json::array();
    for (const auto& [upper_ns, count] : histogram.sparse()) buckets.push_back({upper_ns, count});
    return totals;
  }

 private:
  const Layout layout_;
};

}  // namespace tlsrig::workloads
