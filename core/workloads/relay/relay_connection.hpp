// One relayed connection: two legs, and the two directions between them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <tlsrig/workloads/relay/forwarder.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

template <class Transport>
struct RelayConnection {
  // Both legs have their handshakes behind them when the loop takes the connection in.
  RelayConnection(std::unique_ptr<Leg<Transport>> inbound_leg, std::unique_ptr<Leg<Transport>> outbound_leg,
                  const RelayShape& shape)
      : inbound(std::move(inbound_leg)),
        outbound(std::move(outbound_leg)),
        to_server(*inbound, *outbound, shape),
        to_client(*outbound, *inbound, shape) {
    inbound->connection = outbound->connection = this;
    inbound->reader = outbound->writer = &to_server;
    inbound->writer = outbound->reader = &to_client;
  }
  RelayConnection(const RelayConnection&) = delete;
  RelayConnection& operator=(const RelayConnection&) = delete;

  std::unique_ptr<Leg<Transport>> inbound, outbound;
  Forwarder<Transport> to_server, to_client;
  bool closed = false;  // ended both ways, or torn down
};

}  // namespace tlsrig::workloads
