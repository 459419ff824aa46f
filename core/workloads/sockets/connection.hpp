// One connection of a workload over sockets, as its loop sees it. A workload adds what it keeps of its own.
#pragma once

#include <cstdint>
#include <utility>

#include <sys/epoll.h>

#include <tlsrig/workloads/failure.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

namespace tlsrig::workloads {

// Where a connection whose peer ends first is on its way to an orderly end.
enum class Stage : std::uint8_t { traffic, closing, closed };

template <class TransportType>
struct SocketConnection {
  using Transport = TransportType;

  SocketConnection(const host::Context& context, net::Fd socket, const TransportOptions& options)
      : transport(context, std::move(socket), options) {}

  Transport transport;
  End end;
  std::uint64_t out_offset = 0, in_offset = 0;  // payload bytes sent and received
  std::uint32_t interest = 0;                   // events that its loop waits for
  bool ready = false;                           // it stands in the loop's list of those with more to do
  Stage stage = Stage::traffic;
  Pattern out_pattern, in_pattern;
};

}  // namespace tlsrig::workloads
