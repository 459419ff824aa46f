// How all connections of a role come to be: connected or accepted, handshaken, numbered, their proof taken. One after
// the other: a handshake waits for the other end at every flight anyway.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/host/resumption.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/sockets/arrivals.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

// Connects `traffic.connections` times and gives each connection, as std::unique_ptr<Connection>, to `adopt`. Gives
// what connect gives. Throws what the step throws; the connections made so far are adopt's to close.
template <class Connection, class Adopt>
Json connect_all(const Assignment& assignment, const host::Context& context, const TransportOptions& options,
                 std::uint16_t port, Adopt&& adopt) {
  const host::Backend& backend = backend_of(assignment, TLSRIG_CLIENT);
  const std::uint32_t connections = assignment.settings.traffic.connections;
  const net::SocketOptions sockets = socket_options(assignment.settings.socket);
  ProofTally proof(TLSRIG_CLIENT, backend.plain(), connections);
  Json socket;
  for (std::uint32_t i = 0; i < connections; ++i) {
    auto connection = std::make_unique<Connection>(context, net::connect_local(port, sockets), options);
    connection->end = {backend.name(), "client", i};
    complete_handshake(connection->transport, connection->end);
    proof.add(connection->transport.describe(), connection->transport.socket().reader());
    announce(connection->transport, connection->end);
    if (i == 0) socket = socket_json(connection->transport.fd());
    adopt(std::move(connection));
  }
  return {{"proof", {{"client", proof.to_json()}}}, {"socket", std::move(socket)}};
}

// The numbers that clients announce: each once.
class ConnectionNumbers {
 public:
  explicit ConnectionNumbers(std::uint32_t connections) : taken_(connections) {}

  // Puts the number into end. Throws StepError when it is none of these, or taken.
  void take(std::uint64_t announced, End& end) {
    end.connection = static_cast<std::uint32_t>(std::min<std::uint64_t>(announced, UINT32_MAX));
    if (end.connection >= taken_.size() || taken_[end.connection])
      fail_end(end, "protocol", "the client announced a number that is not free", "connect");
    taken_[end.connection] = true;
  }

 private:
  std::vector<bool> taken_;
};

// The same by accepting. Ends when every connection is accepted, handshaken and announced.
template <class Connection, class Adopt>
Json accept_all(const Assignment& assignment, const host::Context& context, const TransportOptions& options,
                net::Listener& listener, Adopt&& adopt) {
  const host::Backend& backend = backend_of(assignment, TLSRIG_SERVER);
  const std::uint32_t connections = assignment.settings.traffic.connections;
  ProofTally proof(TLSRIG_SERVER, backend.plain(), connections);
  Json socket;
  Arrivals arrivals(listener, assignment.control_fd);
  ConnectionNumbers numbers(connections);
  for (std::uint32_t i = 0; i < connections; ++i) {
    auto connection = std::make_unique<Connection>(context, arrivals.next(i, connections), options);
    connection->end = {backend.name(), "server", i};
    complete_handshake(connection->transport, connection->end);
    numbers.take(take_announcement(connection->transport, connection->end), connection->end);
    proof.add(connection->transport.describe(), connection->transport.socket().reader());
    if (i == 0) socket = socket_json(connection->transport.fd());
    arrivals.watch(connection->transport.fd());
    adopt(std::move(connection));
  }
  return {{"proof", {{"server", proof.to_json()}}}, {"socket", std::move(socket)}};
}

// Of a client that will write first: what the server has sent behind its handshake is no part of any message, so it is
// read before messages are counted; left unread it would make the kernel answer the end with RST.
template <class Connection>
void take_tickets(Connection& connection) {
  std::uint8_t surplus = 0;
  std::size_t size = 0;
  const tlsrig_result result = connection.transport.read(&surplus, 1, size);
  if (result == TLSRIG_OK) fail_end(connection.end, "payload", "the server sent bytes without a request", "tickets");
  if (result != TLSRIG_WANT_READ) fail_session(connection.end, result, connection.transport.error(), "tickets");
}

// What the client's library says that it has read, over all connections of the team; null: it does not say.
template <class Team>
Json tickets_of(const host::Backend& backend, Team& team) {
  const auto resumption = host::Resumption::of(backend);
  if (!resumption) return nullptr;
  std::uint64_t tickets = 0;
  team.each([&](auto& connection) { tickets += resumption->tickets_received(connection.transport.session().get()); });
  return tickets;
}

}  // namespace tlsrig::workloads
