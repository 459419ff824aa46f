// The server of echo.
#include <optional>

#include <fmt/format.h>

#include <tlsrig/workloads/echo/echo.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/sockets/arrivals.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class EchoServer final : public Participant {
 public:
  using Connection = EchoConnection<Transport>;

  explicit EchoServer(const Assignment& assignment)
      : assignment_(assignment), backend_(backend_of(assignment, TLSRIG_SERVER)) {}

  Json prepare() override {
    require_transport(backend_, Transport::kind);
    context_.emplace(make_context(assignment_, TLSRIG_SERVER));
    loops_.emplace(assignment_);
    listener_.emplace(socket_options(assignment_.settings.socket));
    return {{"port", listener_->port()}};
  }

  // Ends when every connection is accepted, handshaken and announced. The client connects one after the other, so they
  // are taken one after the other.
  Json connect(const Json&) override {
    const std::uint32_t connections = assignment_.settings.traffic.connections;
    ProofTally proof(TLSRIG_SERVER, backend_.plain(), connections);
    Json socket;
    net::Listener listener = std::move(*listener_);  // closed with this step, however it ends
    listener_.reset();
    loops_->guard([&] {
      Arrivals arrivals(listener, assignment_.control_fd);
      std::vector<bool> seen(connections);
      for (std::uint32_t i = 0; i < connections; ++i) {
        auto connection = take_connection(arrivals.next(i, connections), i);
        const std::uint32_t number = connection->end.connection;
        if (number >= connections || seen[number])
          fail_end(connection->end, "protocol", "the client announced a number that is not free", "connect");
        seen[number] = true;
        proof.add(connection->transport.describe(), connection->transport.socket().reader());
        if (i == 0) socket = socket_json(connection->transport.fd());
        arrivals.watch(connection->transport.fd());
        loops_->adopt(std::move(connection));
      }
    });
    return {{"proof", {{"server", proof.to_json()}}}, {"socket", std::move(socket)}};
  }

  Json warm_up(const Slice&) override {
    return loops_->warm_up([](auto& loop) { loop.serve_warm_up(); });
  }

  SliceCount slice(const Slice& slice) override { return loops_->slice(slice); }

  Json finish() override {
    loops_->end_measuring();
    loops_->run([](auto& loop) { loop.serve_until_closed(); });
    return loops_->finish([](Connection&) {});  // closed in order already, each when its client was
  }

 private:
  std::unique_ptr<Connection> take_connection(net::Fd socket, std::uint32_t order) {
    auto connection =
        std::make_unique<Connection>(*context_, std::move(socket), transport_options(assignment_, Side::server));
    connection->end = {backend_.name(), "server", order};
    complete_handshake(connection->transport, connection->end);
    const std::uint64_t number = take_announcement(connection->transport, connection->end);
    connection->end.connection = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
    return connection;
  }

  const Assignment assignment_;
  const host::Backend& backend_;
  std::optional<host::Context> context_;
  std::optional<net::Listener> listener_;
  std::optional<EchoLoops<Transport, Side::server>> loops_;
};

}  // namespace

std::unique_ptr<Participant> make_echo_server(const Assignment& assignment) {
  if (assignment.settings.server.transport == scenario::Transport::wire)
    return std::make_unique<EchoServer<WireTransport>>(assignment);
  return std::make_unique<EchoServer<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
