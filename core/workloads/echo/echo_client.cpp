// The client of echo.
#include <optional>

#include <tlsrig/host/resumption.hpp>
#include <tlsrig/workloads/echo/echo.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class EchoClient final : public Participant {
 public:
  using Connection = EchoConnection<Transport>;

  explicit EchoClient(const Assignment& assignment)
      : assignment_(assignment), backend_(backend_of(assignment, TLSRIG_CLIENT)) {}

  Json prepare() override {
    require_transport(backend_, Transport::kind);
    context_.emplace(make_context(assignment_, TLSRIG_CLIENT));
    loops_.emplace(assignment_);
    return Json::object();
  }

  // One after the other: a handshake waits for its server at every flight anyway, and the server takes one at a time.
  Json connect(const Json& request) override {
    const auto port = request.at("port").get<std::uint16_t>();
    const std::uint32_t connections = assignment_.settings.traffic.connections;
    const net::SocketOptions sockets = socket_options(assignment_.settings.socket);
    const TransportOptions options = transport_options(assignment_, Side::client);
    ProofTally proof(TLSRIG_CLIENT, backend_.plain(), connections);
    Json socket;
    loops_->guard([&] {
      for (std::uint32_t i = 0; i < connections; ++i) {
        auto connection = std::make_unique<Connection>(*context_, net::connect_local(port, sockets), options);
        connection->end = {backend_.name(), "client", i};
        complete_handshake(connection->transport, connection->end);
        proof.add(connection->transport.describe(), connection->transport.socket().reader());
        announce(connection->transport, connection->end);
        if (i == 0) socket = socket_json(connection->transport.fd());
        loops_->adopt(std::move(connection));
      }
    });
    return {{"proof", {{"client", proof.to_json()}}}, {"socket", std::move(socket)}};
  }

  Json warm_up(const Slice& slice) override {
    loops_->each([](Connection& connection) { take_tickets(connection); });
    measure::sleep_until_ns(slice.begin_ns);
    return loops_->warm_up([&](auto& loop) { loop.warm_up(slice.end_ns); });
  }

  SliceCount slice(const Slice& slice) override { return loops_->slice(slice); }

  Json finish() override {
    // Every request that was sent has its reply then: both directions are divided by the same number.
    loops_->run([](auto& loop) { loop.drain("finish"); });
    loops_->end_measuring();
    const auto resumption = host::Resumption::of(backend_);
    std::uint64_t tickets = 0;
    Json totals = loops_->finish([&](Connection& connection) {
      if (connection.in_got)
        fail_end(connection.end, "payload", "the server sent more bytes than the replies have", "finish");
      close_in_order(connection.transport, connection.end);
      if (resumption) tickets += resumption->tickets_received(connection.transport.session().get());
    });
    totals["tickets"] = resumption ? Json(tickets) : Json(nullptr);
    return totals;
  }

 private:
  // What a server has sent behind its handshake is no part of any message, so it is read before messages are counted.
  static void take_tickets(Connection& connection) {
    std::uint8_t surplus = 0;
    std::size_t size = 0;
    const tlsrig_result result = connection.transport.read(&surplus, 1, size);
    if (result == TLSRIG_OK) fail_end(connection.end, "payload", "the server sent bytes without a request", "tickets");
    if (result != TLSRIG_WANT_READ) fail_session(connection.end, result, connection.transport.error(), "tickets");
  }

  const Assignment assignment_;
  const host::Backend& backend_;
  std::optional<host::Context> context_;
  std::optional<EchoLoops<Transport, Side::client>> loops_;
};

}  // namespace

std::unique_ptr<Participant> make_echo_client(const Assignment& assignment) {
  if (assignment.settings.client.transport == scenario::Transport::wire)
    return std::make_unique<EchoClient<WireTransport>>(assignment);
  return std::make_unique<EchoClient<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
