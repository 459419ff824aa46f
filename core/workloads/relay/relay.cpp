// The relay as the rig drives it: set-up, and the steps.
#include <tlsrig/workloads/relay/relay.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/scenario/keys.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/relay/relay_loops.hpp>
#include <tlsrig/workloads/sockets/arrivals.hpp>
#include <tlsrig/workloads/sockets/meeting.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

void require_offered(const Assignment& assignment) {
  const auto refuse = [](const std::string& what) { throw StepError("config", "relay: " + what); };
  const scenario::Settings& settings = assignment.settings;
  const scenario::TrafficSettings& traffic = settings.traffic;
  if (!settings.relay.present) refuse("the scenario has no [relay]");
  if (settings.workload != scenario::Workload::echo && settings.workload != scenario::Workload::pipe)
    refuse(fmt::format("it plays in \"pipe\" and \"echo\", not in \"{}\"", scenario::workload_name(settings.workload)));
  if (traffic.connections == 0 || traffic.message_size == 0 || traffic.threads == 0 || settings.relay.read_size == 0 ||
      settings.socket.read_size == 0)
    refuse("connections, message_size, threads and both read_size are 1 or more");
  if (traffic.threads > traffic.connections) refuse("threads is larger than connections: some would have none");
  if (settings.tls.resumption != scenario::Resumption::off) refuse("tls.resumption is \"off\" and nothing else");
}

// One side of the relay: who plays it, and how its legs are made.
struct RelaySide {
  RelaySide(const Assignment& assignment, std::int32_t role_, const RelayShape& shape)
      : role(role_),
        name(role_ == TLSRIG_SERVER ? "relay_inbound" : "relay_outbound"),
        backend(backend_of(assignment, role_)),
        proof(role_, backend.plain(), assignment.settings.traffic.connections) {
    const scenario::RelaySettings& relay = assignment.settings.relay;
    const auto spoken = role == TLSRIG_SERVER ? relay.inbound : relay.outbound;
    if (spoken == scenario::LegProtocol::plain && !backend.plain())
      throw StepError("config", fmt::format("{}: the leg is plain, but {} speaks TLS", name, backend.name()));
    options.role = role;
    options.plain = backend.plain();
    options.server_name = server_name_for(assignment, role);
    options.layout = shape.layout;
    options.read_size = assignment.settings.socket.read_size;
    options.write_size = window_for(shape.gathered_max);  // all that is written at once
  }

  void ask_pending(RelayRead read) {
    if (read != RelayRead::pending || backend.plain()) return;
    pending = backend.extension<tlsrig_pending>(TLSRIG_PENDING);
    if (!pending)
      throw host::Unsupported(
          fmt::format("{} offers no {}, which relay.read = \"pending\" asks", backend.name(), TLSRIG_PENDING));
  }

  template <class Transport>
  std::unique_ptr<Leg<Transport>> make_leg(net::Fd socket, std::uint32_t connection) {
    auto leg = std::make_unique<Leg<Transport>>(*context, std::move(socket), options);
    leg->end = {backend.name(), name, connection};
    leg->pending = pending;
    complete_handshake(leg->transport, leg->end);
    proof.add(leg->transport.describe(), leg->transport.socket().reader());
    if (in_force.is_null()) in_force = socket_json(leg->transport.fd());
    return leg;
  }

  const std::int32_t role;
  const char* const name;
  const host::Backend& backend;
  TransportOptions options;
  std::optional<host::Context> context;
  const tlsrig_pending* pending = nullptr;
  ProofTally proof;
  Json in_force;  // the options of its first socket
};

template <class Transport>
class Relay final : public Participant {
 public:
  using Connection = RelayConnection<Transport>;

  explicit Relay(const Assignment& assignment)
      : assignment_(assignment),
        shape_(shape_of(assignment)),
        inbound_(assignment_, TLSRIG_SERVER, shape_),
        outbound_(assignment_, TLSRIG_CLIENT, shape_) {}

  Json prepare() override {
    for (RelaySide* side : {&inbound_, &outbound_}) {
      require_transport(side->backend, Transport::kind);
      side->ask_pending(shape_.read);
      side->context.emplace(make_context(assignment_, side->role));
    }
    const auto main = scenario::is_one_way(assignment_.settings.workload) ? assignment_.settings.traffic.direction
                                                                          : scenario::Direction::to_server;
    loops_.emplace(shape_, assignment_, main);
    listener_.emplace(socket_options(assignment_.settings.socket));
    return {{"port", listener_->port()}};
  }

  // One after the other, each with its announcement, as both far ends do. The client waits for nothing but its own
  // handshake, and the server accepts the next when the announcement of the one before has come.
  Json connect(const Json& request) override {
    const auto port = request.at("port").get<std::uint16_t>();
    const std::uint32_t connections = assignment_.settings.traffic.connections;
    net::Listener listener = std::move(*listener_);  // closed with this step, however it ends
    listener_.reset();
    try {
      Arrivals arrivals(listener, assignment_.control_fd);
      ConnectionNumbers numbers(connections);
      for (std::uint32_t i = 0; i < connections; ++i) {
        auto connection = join(arrivals.next(i, connections), port, i, numbers);
        arrivals.watch(connection->inbound->transport.fd());
        arrivals.watch(connection->outbound->transport.fd());
        loops_->adopt(std::move(connection));
      }
    } catch (...) {
      loops_->release();  // the worker lives on until the rig has heard of it: the far ends shall not wait for that
      throw;
    }
    return {{"proof", {{"relay_inbound", inbound_.proof.to_json()}, {"relay_outbound", outbound_.proof.to_json()}}},
            {"socket", {{"inbound", inbound_.in_force}, {"outbound", outbound_.in_force}}}};
  }

  // What came by is verified where it arrives.
  Json warm_up(const Slice&) override {
    loops_->warm_up();
    return {{"bytes_verified", 0}};
  }

  SliceCount slice(const Slice& slice) override {
    measure::sleep_until_ns(slice.begin_ns);
    const std::uint64_t operations = loops_->slice(slice);
    return {operations, 1e-9 * static_cast<double>(slice.end_ns - slice.begin_ns)};
  }

  Json finish() override { return loops_->finish(shape_.layout); }

 private:
  static RelayShape shape_of(const Assignment& assignment) {
    const scenario::RelaySettings& relay = assignment.settings.relay;
    return {relay.read, relay.read_size, gathered_max(relay.read, relay.read_size), Layout(assignment.placement_seed)};
  }

  std::unique_ptr<Connection> join(net::Fd socket, std::uint16_t port, std::uint32_t order,
                                   ConnectionNumbers& numbers) {
    auto inbound = inbound_.make_leg<Transport>(std::move(socket), order);
    auto outbound =
        outbound_.make_leg<Transport>(net::connect_local(port, socket_options(assignment_.settings.socket)), order);
    numbers.take(take_announcement(inbound->transport, inbound->end), inbound->end);
    outbound->end.connection = inbound->end.connection;
    announce(outbound->transport, outbound->end);
    return std::make_unique<Connection>(std::move(inbound), std::move(outbound), shape_);
  }

  const Assignment assignment_;
  const RelayShape shape_;
  RelaySide inbound_, outbound_;
  std::optional<net::Listener> listener_;
  std::optional<RelayLoops<Transport>> loops_;
};

}  // namespace

std::unique_ptr<Participant> make_relay(const Assignment& assignment) {
  require_offered(assignment);
  if (assignment.settings.relay.transport == scenario::Transport::wire)
    return std::make_unique<Relay<WireTransport>>(assignment);
  return std::make_unique<Relay<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
