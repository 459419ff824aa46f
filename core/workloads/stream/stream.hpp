// The one-way workloads: a source sends messages, a sink takes them, over connections of loopback TCP. Source and sink
// are the same whether they talk to each other (stream) or through a relay (pipe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

// The role "client" or "server" of a one-way workload: the source or the sink, as traffic.direction says. Throws
// StepError for settings that it does not offer.
std::unique_ptr<Participant> make_stream(const Assignment& assignment);

// The two, over one of the two transports; both in a file of their own.
std::unique_ptr<Participant> make_stream_source(const Assignment& assignment);
std::unique_ptr<Participant> make_stream_sink(const Assignment& assignment);

// How messages are cut. A block is what lies in one piece in memory: a message, or those that `coalesced` gathers. It
// is given to the library in writes of up to 16 KiB.
struct StreamShape {
  std::size_t message_size = 0;
  std::size_t block_size = 0;
  std::uint32_t blocks_per_flush = 0;  // wire: blocks whose records leave together; 0: each write leaves alone
  bool gathers = false;                // a block is copied together from messages
  Direction direction = Direction::to_server;
  Layout layout{0};
};

StreamShape stream_shape(const Assignment& assignment);

// Which side of its sessions the role plays: TLSRIG_CLIENT or TLSRIG_SERVER.
std::int32_t side_of(const Assignment& assignment);

// What the scenario says of this role.
const scenario::RoleSettings& role_settings(const Assignment& assignment);

// Throws StepError when the assignment has no backend for that side.
TransportOptions stream_transport_options(const Assignment& assignment);

}  // namespace tlsrig::workloads
