// What one arm of one cell is run with: the keys of a scenario file, resolved. Members are spelled as the keys are.
// Times are nanoseconds, sizes bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tlsrig::scenario {

enum class Workload { engine, echo, stream, pipe, connect, idle };
enum class Transport { fd, wire };
enum class Policy { pinned, as_shipped };
enum class Verify { none, server, client, both };
enum class Resumption { off, ticket, session_id };
enum class Operation { handshake, handshake_resumed, wrap, unwrap, wrap_unwrap, context_new, session_new };
enum class Buffers { direct, bounce, pool, malloc };
enum class ContextSharing { shared, per_thread, per_connection };
enum class Processors { fixed, free };
enum class WriteStrategy { per_message, batched, coalesced };
enum class Direction { to_server, to_client };
enum class LegProtocol { tls, plain };
enum class RelayRead { per_record, coalesce, fixed, pending, drain, spin };

struct RoleSettings {
  std::string backend = "backend";  // resolved: the name of a backend
  Transport transport = Transport::fd;
};

// A relay is a server to the client (inbound) and a client to the server (outbound).
struct RelaySettings {
  bool present = false;             // false: client and server talk to each other, and nothing below holds
  std::string backend = "backend";  // resolved: the name of a backend
  Transport transport = Transport::fd;
  LegProtocol inbound = LegProtocol::tls, outbound = LegProtocol::plain;
  RelayRead read = RelayRead::per_record;
  std::uint64_t read_size = 16384;
};

// PEM files of the caller's own instead of the certificates that tlsrig makes.
struct CertificateFiles {
  std::string chain, key, trust;
  friend bool operator==(const CertificateFiles&, const CertificateFiles&) = default;
};

// With Policy::as_shipped version, cipher and group are empty and tickets is 0 in every arm: the library's own.
struct TlsSettings {
  Policy policy = Policy::pinned;
  std::string version = "1.3";
  std::string cipher;  // empty in a file: the version's AES-128-GCM suite for this certificate
  std::string group = "x25519";
  std::string certificate = "ecdsa-p256";  // empty when certificate_files are given
  CertificateFiles certificate_files;
  Verify verify = Verify::server;
  Resumption resumption = Resumption::off;
  std::uint32_t tickets = 0;
};

struct TrafficSettings {
  std::uint32_t connections = 16;
  std::uint64_t message_size = 1024;
  std::uint64_t reply_size = 1024;
  std::uint32_t pipeline = 1;
  Direction direction = Direction::to_server;  // of a one-way stream
  WriteStrategy write = WriteStrategy::per_message;
  std::uint64_t batch_size = 16384;  // payload bytes that batched and coalesced gather
  double rate = 0;                   // messages per second; 0: closed loop
  std::uint32_t threads = 1;
};

struct EngineSettings {
  Operation operation = Operation::wrap_unwrap;
  std::uint64_t message_size = 16384;
  Buffers buffers = Buffers::direct;
  ContextSharing context = ContextSharing::shared;
  std::uint32_t trust_anchors = 1;  // certificates in the file that verifying sides load
  std::uint32_t threads = 1;
};

struct SocketSettings {
  bool nodelay = true;
  std::uint64_t send_buffer = 0;     // 0: the kernel's default
  std::uint64_t receive_buffer = 0;  // 0: the kernel's default
  std::uint64_t read_size = 65536;   // wire: bytes asked of one read(2)
};

struct MeasureSettings {
  std::int64_t warmup_ns = 300'000'000;
  std::uint64_t warmup_bytes = 0;  // payload that each warm-up verifies at least
  std::int64_t block_ns = 1'000'000'000;
  std::int64_t slice_ns = 0;  // 0: the workload's own
  Processors processors = Processors::fixed;
  std::uint32_t blocks_min = 8;
  std::uint32_t blocks_max = 40;
  double target_precision = 0.01;
  double equivalence = 0.02;
  bool self_check = true;
  std::uint64_t seed = 0;
};

struct Settings {
  Workload workload = Workload::echo;
  RoleSettings client, server;
  RelaySettings relay;
  TlsSettings tls;
  TrafficSettings traffic;
  EngineSettings engine;
  SocketSettings socket;
  MeasureSettings measure;
};

// A one-way workload: messages go from a source to a sink, and nothing comes back.
inline bool is_one_way(Workload workload) { return workload == Workload::stream || workload == Workload::pipe; }

// Whether a role ("client" or "server") is the source of a one-way workload.
inline bool is_source(const Settings& settings, std::string_view role) {
  return role == (settings.traffic.direction == Direction::to_server ? "client" : "server");
}

// Threads of each of its roles.
inline std::uint32_t threads_of(const Settings& settings) {
  return settings.workload == Workload::engine ? settings.engine.threads : settings.traffic.threads;
}

// Whether an operation of an engine is about messages; the others are about handshakes, contexts and sessions.
inline bool moves_payload(Operation operation) {
  return operation == Operation::wrap || operation == Operation::unwrap || operation == Operation::wrap_unwrap;
}

// Whether what is measured are resumed handshakes.
inline bool resumes(const Settings& settings) {
  return settings.workload == Workload::engine && settings.engine.operation == Operation::handshake_resumed;
}

}  // namespace tlsrig::scenario
