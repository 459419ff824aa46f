// One connection of echo, and what its loop sends and receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include <tlsrig/workloads/failure.hpp>
#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

enum class Side { client, server };

// What a loop sends and receives: messages of a fixed size each way.
struct EchoShape {
  std::size_t out_size = 0, in_size = 0;  // bytes of one message sent, of one received
  std::uint32_t pipeline = 1;             // messages in flight per connection
  Layout layout{0};
};

// Where a server's connection is on its way to an orderly end.
enum class Stage : std::uint8_t { traffic, closing, closed };

// One connection, as a loop sees it.
template <class Transport>
struct EchoConnection {
  EchoConnection(const host::Context& context, net::Fd socket, const TransportOptions& options)
      : transport(context, std::move(socket), options) {}

  Transport transport;
  End end;
  std::uint64_t out_offset = 0, in_offset = 0;  // payload bytes sent and received
  std::size_t out_left = 0;                     // of the message being sent
  std::size_t in_got = 0;                       // of the message being received
  std::uint32_t to_send = 0;                    // messages to send, the one under way included
  std::uint32_t in_flight = 0;                  // client: messages without a whole reply
  std::uint32_t interest = EPOLLIN;
  std::uint32_t oldest = 0;  // client: place in `starts` of the oldest message in flight
  bool ready = false;        // it stands in the loop's list of those with more to do
  Stage stage = Stage::traffic;
  std::vector<std::int64_t> starts;  // client: when each message in flight began
  Pattern out_pattern, in_pattern;
};

}  // namespace tlsrig::workloads
