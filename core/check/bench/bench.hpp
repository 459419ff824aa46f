// Two sessions of one or two backends, joined by two flows.
#pragma once

#include <functional>

#include <tlsrig/check/bench/end.hpp>
#include <tlsrig/check/bench/settings.hpp>

namespace tlsrig::check {

struct BenchOptions {
  std::uint32_t client_transport = TLSRIG_WIRE, server_transport = TLSRIG_WIRE;
  std::size_t piece = unlimited;  // most bytes that an end is given at once
  std::size_t limit = unlimited;  // most bytes under way in one direction
  PortOptions ports;
};

// The transport of the set-up at both ends.
BenchOptions both_over(std::uint32_t transport);

class Bench {
 public:
  // server_name: nullptr for none. ticket: what the client offers, consumed; nullptr: nothing. Throws what
  // host::Session throws.
  Bench(const Contexts& contexts, const BenchOptions& options, const char* server_name, host::Ticket* ticket = nullptr);

  End& client() { return client_; }
  End& server() { return server_; }
  End& peer_of(const End& end) { return &end == &client_ ? server_ : client_; }

  // Calls both in turn until both say that they are done. Fails with who waits for what when neither end gets anywhere
  // for long.
  void drive(const std::function<bool()>& client, const std::function<bool()>& server);

  // As drive, with one end; the other is not called.
  void drive_alone(End& end, const std::function<bool()>& call);

 private:
  Flow to_server_, to_client_;
  End client_, server_;
};

}  // namespace tlsrig::check
