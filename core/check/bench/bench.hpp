// Two sessions of one or two backends, joined by two flows.
#pragma once

#include <functional>
#include <optional>

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

// What is certain when `reader` waits for input and nothing is under way: `writer` had answered OK for something that
// has not arrived. Nothing: all has arrived, or the reader does not wait for input.
std::optional<Complaint> not_arrived(const End& writer, const End& reader);

class Bench {
 public:
  // server_name: nullptr for none. ticket: what the client offers, consumed; nullptr: nothing. Throws what
  // host::Session throws.
  Bench(const Contexts& contexts, const BenchOptions& options, const char* server_name, host::Ticket* ticket = nullptr);

  End& client() { return client_; }
  End& server() { return server_; }
  End& peer_of(const End& end) { return &end == &client_ ? server_ : client_; }
  const End& peer_of(const End& end) const { return &end == &client_ ? server_ : client_; }

  // Calls both in turn until both say that they are done. Fails with who waits for what when neither end gets anywhere
  // for long.
  void drive(const std::function<bool()>& client, const std::function<bool()>& server);

  // Fails with who waits for what, and with why, as far as that is certain.
  [[noreturn]] void stand_still() const;

  // As drive, with one end; the other is not called.
  void drive_alone(End& end, const std::function<bool()>& call);

 private:
  Flow to_server_, to_client_;
  End client_, server_;
};

}  // namespace tlsrig::check
