// One role of one arm for one block: what a worker process drives, step by step, as the rig asks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/context.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::workloads {

using Json = nlohmann::ordered_json;

// PEM files for both sides of a session.
struct CertificatePaths {
  std::string server_chain, server_key;
  std::string client_chain, client_key;
  std::string trust;
  std::string server_name;  // what a client that verifies asks for and checks: host name or IP address
};

// What a participant is made from. The backends outlive it. The process ignores SIGPIPE: libraries write to sockets
// with write(2).
struct Assignment {
  std::string role;  // one of scenario::roles_of(settings)
  scenario::Settings settings;
  // The backends of the sides that this role plays; nullptr when it does not play one. A relay is a server to the
  // client and a client to the server.
  const host::Backend* client = nullptr;
  const host::Backend* server = nullptr;
  CertificatePaths certificates;
  std::uint64_t placement_seed = 0;  // of the block: where buffers lie; equal for all workers of the block
  int control_fd = -1;               // readable: the rig wants the next step
};

// An interval of CLOCK_MONOTONIC, in nanoseconds.
struct Slice {
  std::int64_t begin_ns = 0, end_ns = 0;
  bool measured = true;  // false: traffic like that of the slices to come, which nothing is made of
};

// What a slice gave. seconds is the time that the operations took: the slice, or what the workload measured itself.
struct SliceCount {
  std::uint64_t operations = 0;
  double seconds = 0;
  // CPU time, in user mode, of what is not counted: an operation before the first, what prepares operations.
  double excluded_cpu_seconds = 0;
  // Of an engine, which plays both sides: how much of the CPU time that is counted was the client's, 0 to 1.
  std::optional<double> client_share = std::nullopt;
};

// Something went wrong in a step: the arm is failed with this kind and text.
struct StepError : std::runtime_error {
  StepError(std::string kind_, const std::string& text) : std::runtime_error(text), kind(std::move(kind_)) {}
  std::string kind;  // "truncated", "alert", "protocol", "certificate", "system", "config", "payload", "other"
};

// Steps come in this order, once each but slice: prepare, connect, warm_up, slice..., finish. Each may throw StepError,
// host::Unsupported or host::SetupError. The warm-up of a role that does not begin messages (a server of echo, a sink,
// a relay) has no end of its own and lasts until control_fd is readable; then comes settle.
class Participant {
 public:
  virtual ~Participant() = default;

  // Makes contexts; a server or relay listens. Gives {"port": n} for those, {} for others.
  virtual Json prepare() = 0;

  // Connects and handshakes every connection. request: {"port": n}, where a role that connects finds its server or
  // relay. Gives {"proof": {PART: {...}}} for each part that it plays (scenario/legs.hpp), see proof.hpp. Roles with
  // sockets add
  // {"socket": {...}}: the options in force.
  virtual Json connect(const Json& request) = 0;

  // Runs the traffic until end_ns, verifying every payload byte, and begins nothing more. Gives {"bytes_verified": n};
  // a source gives {"bytes_verified": 0, "bytes_sent": n}.
  virtual Json warm_up(const Slice& slice) = 0;

  // Of a sink, after warm_up: takes in, and verifies, what is still in flight of the payload bytes that the source has
  // sent. Gives {"bytes_verified": n}, of the whole warm-up. Others have nothing to do.
  virtual Json settle(std::uint64_t bytes_sent);

  // Runs the traffic from begin_ns (already reached) to end_ns and freezes. Lengths are checked, bytes are not.
  virtual SliceCount slice(const Slice& slice) = 0;

  // Takes in what is in flight, closes every connection in order. Gives {"messages": n, "payload_bytes_in": n,
  // "payload_bytes_out": n, "histogram": [[upper_ns, count], ...] or null, "layout": {...}, "counts": {PART: {...}}}, a
  // member of counts for each part that this role plays, see role_counts.hpp. A role that plays the client adds
  // {"tickets": n or null}: what its library says it has read on the connections whose proof `connect` gave.
  virtual Json finish() = 0;
};

// Default length of a slice, in nanoseconds.
std::int64_t automatic_slice_ns(scenario::Workload workload);

std::unique_ptr<Participant> make_participant(const Assignment& assignment);

}  // namespace tlsrig::workloads
