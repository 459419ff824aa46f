// One connection of echo, and what its loop sends and receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/sockets/connection.hpp>

namespace tlsrig::workloads {

enum class Side { client, server };

// What a loop sends and receives: messages of a fixed size each way.
struct EchoShape {
  std::size_t out_size = 0, in_size = 0;  // bytes of one message sent, of one received
  std::uint32_t pipeline = 1;             // messages in flight per connection
  Layout layout{0};
};

template <class Transport>
struct EchoConnection : SocketConnection<Transport> {
  using SocketConnection<Transport>::SocketConnection;

  std::size_t out_left = 0;          // of the message being sent
  std::size_t in_got = 0;            // of the message being received
  std::uint32_t to_send = 0;         // messages to send, the one under way included
  std::uint32_t in_flight = 0;       // client: messages without a whole reply
  std::uint32_t oldest = 0;          // client: place in `starts` of the oldest message in flight
  std::vector<std::int64_t> starts;  // client: when each message in flight began
};

}  // namespace tlsrig::workloads
