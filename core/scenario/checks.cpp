// Faults that no single key has.
#include <tlsrig/scenario/checks.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/scenario/files.hpp>
#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/suites.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::scenario {
namespace {

using Paths = std::initializer_list<std::string_view>;

bool any_faulty(const Draft& draft, Paths paths) {
  return std::any_of(paths.begin(), paths.end(), [&](std::string_view path) { return draft.faulty.contains(path); });
}

bool was_said(const Place& place) { return place.line != 0 || !place.flag.empty(); }

// The fault stands at the first of its keys that was said at all.
void add_at(const ArmCheck& arm, Paths paths, std::string message, Diagnostics& diagnostics) {
  for (const std::string_view path : paths) {
    if (const Place place = arm.place_of(path); was_said(place)) {
      return diagnostics.add(place, path, std::move(message));
    }
  }
  diagnostics.add({}, *paths.begin(), std::move(message));
}

std::string suites_for(std::string_view version, KeyKind key) {
  std::string out;
  for (const Suite& suite : suites) {
    if (suite.version == version && (key == KeyKind::any || suite.key == KeyKind::any || suite.key == key)) {
      out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", suite.name);
    }
  }
  return out;
}

void check_cipher(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const TlsSettings& tls = arm.resolved.tls;
  if (tls.policy == Policy::as_shipped || any_faulty(draft, {"tls.version", "tls.cipher", "tls.certificate"})) {
    return;
  }
  const KeyKind key = key_kind(tls.certificate);
  if (tls.cipher.empty()) {
    return add_at(
        arm, {"tls.version"},
        fmt::format("tls.cipher is needed with tls.version = \"{}\" and certificate files: the suite must fit "
                    "their key; allowed: {}",
                    tls.version, suites_for(tls.version, key)),
        diagnostics);
  }
  const Suite* suite = find_suite(tls.cipher);
  if (suite->version != tls.version) {
    return add_at(arm, {"tls.cipher", "tls.version"},
                  fmt::format("tls.cipher = \"{}\" is a suite of TLS {}, but tls.version = \"{}\"; allowed with it: {}",
                              tls.cipher, suite->version, tls.version, suites_for(tls.version, key)),
                  diagnostics);
  }
  if (suite->key != KeyKind::any && key != KeyKind::any && suite->key != key) {
    add_at(arm, {"tls.cipher", "tls.certificate"},
           fmt::format("tls.cipher = \"{}\" does not fit the key of tls.certificate = \"{}\"; allowed with it: {}",
                       tls.cipher, tls.certificate, suites_for(tls.version, key)),
           diagnostics);
  }
}

constexpr std::string_view chain_path = "tls.certificate.chain", key_path = "tls.certificate.key",
                           trust_path = "tls.certificate.trust";

void check_certificate_files(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const TlsSettings& tls = arm.resolved.tls;
  const CertificateFiles& files = tls.certificate_files;
  const bool complete = !files.chain.empty() && !files.key.empty() && !files.trust.empty();
  if (!tls.certificate.empty() || complete ||
      std::any_of(draft.faulty.begin(), draft.faulty.end(),
                  [](std::string_view path) { return lies_in(path, "tls.certificate"); })) {
    return;
  }
  const std::string_view missing = files.chain.empty() ? chain_path : files.key.empty() ? key_path : trust_path;
  Place place = arm.place_of(chain_path);
  for (const std::string_view path : {key_path, trust_path}) {
    place = was_said(place) ? place : arm.place_of(path);
  }
  diagnostics.add(place, missing, "missing; a certificate of your own has chain, key and trust");
}

// Before anything runs: a worker that fails over a file would do so once per arm, and after a while.
void check_files_readable(const ArmCheck& arm, Diagnostics& diagnostics) {
  const CertificateFiles& files = arm.resolved.tls.certificate_files;
  const std::pair<std::string_view, const std::string&> list[] = {
      {chain_path, files.chain}, {key_path, files.key}, {trust_path, files.trust}};
  for (const auto& [path, file] : list) {
    const std::string fault = file.empty() ? std::string{} : file_fault(file);
    if (!fault.empty()) {
      const Place place = arm.place_of(path);
      diagnostics.add(place, path,
                      fmt::format("\"{}\" {}; needed: a PEM file; its path is relative to the {}", file, fault,
                                  place.flag.empty() ? "scenario file" : "working directory"));
    }
  }
}

// What two ends of one TCP connection cannot be: one with TLS, the other without.
void check_ends(const ArmCheck& arm, std::string_view client_path, const std::string& client,
                std::string_view server_path, const std::string& server, Diagnostics& diagnostics) {
  const bool client_plain = client == plain_backend, server_plain = server == plain_backend;
  if (client_plain == server_plain) {
    return;
  }
  const std::string_view path = client_plain ? client_path : server_path;
  add_at(
      arm, {path, client_path, server_path},
      fmt::format("plaintcp speaks no TLS and cannot be the {} of a session with {}; name it in `backends`, where it "
                  "plays every role",
                  client_plain ? "client" : "server", client_plain ? server : client),
      diagnostics);
}

void check_roles(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  if (any_faulty(draft, {"roles.client", "roles.server", "roles.client.backend", "roles.server.backend",
                         "relay.backend", "relay.inbound", "relay.outbound"})) {
    return;
  }
  const RelaySettings& relay = arm.resolved.relay;
  constexpr std::string_view client = "roles.client.backend", server = "roles.server.backend";
  const bool any_client = arm.said.client.backend == "backend" && !is_behind_plain_leg(client, relay);
  const bool any_server = arm.said.server.backend == "backend" && !is_behind_plain_leg(server, relay);
  const bool any_relay = arm.said.relay.backend == "backend" && relay.present;
  if (!any_client && !any_server && !any_relay) {
    return add_at(arm, {client, server, "relay.backend"},
                  "no role is \"backend\", so that all backends would run the same; make one of them \"backend\"",
                  diagnostics);
  }
  if (!relay.present) {
    return check_ends(arm, client, arm.resolved.client.backend, server, arm.resolved.server.backend, diagnostics);
  }
  if (arm.backend != plain_backend && relay.inbound == LegProtocol::plain && relay.outbound == LegProtocol::plain) {
    return add_at(arm, {"relay.inbound", "relay.outbound"},
                  fmt::format("both legs of the relay are plain, so that {} would have nothing to do; the row without "
                              "TLS is that of plaintcp in `backends`",
                              arm.backend),
                  diagnostics);
  }
  if (relay.inbound == LegProtocol::tls) {
    check_ends(arm, client, arm.resolved.client.backend, "relay.backend", relay.backend, diagnostics);
  }
  if (relay.outbound == LegProtocol::tls) {
    check_ends(arm, "relay.backend", relay.backend, server, arm.resolved.server.backend, diagnostics);
  }
}

// An fd is the library's: it writes every record as it is made, and the rig can gather none.
void check_write(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const Settings& settings = arm.resolved;
  if (settings.traffic.write == WriteStrategy::per_message ||
      any_faulty(draft, {"traffic.write", "traffic.direction", "workload", "roles.client.transport",
                         "roles.server.transport"})) {
    return;
  }
  if (!is_one_way(settings.workload)) {
    return add_at(arm, {"traffic.write", "workload"},
                  fmt::format("workload = \"{}\" gives its messages away one by one; allowed with it: \"per-message\"",
                              workload_name(settings.workload)),
                  diagnostics);
  }
  const bool from_client = is_source(settings, "client");
  const RoleSettings& source = from_client ? settings.client : settings.server;
  const std::string_view transport = from_client ? "roles.client.transport" : "roles.server.transport";
  if (settings.traffic.write == WriteStrategy::batched && source.transport != Transport::wire) {
    add_at(arm, {"traffic.write", transport},
           fmt::format("traffic.write = \"batched\" needs {} = \"wire\": on an fd the library writes each record by "
                       "itself",
                       transport),
           diagnostics);
  }
}

void check_trust_anchors(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const Settings& settings = arm.resolved;
  if (settings.workload == Workload::engine && settings.engine.trust_anchors > 1 && settings.tls.certificate.empty() &&
      !any_faulty(draft, {"engine.trust_anchors", "tls.certificate"})) {
    add_at(arm, {"engine.trust_anchors", "tls.certificate.trust"},
           fmt::format("engine.trust_anchors = {} is for the certificates that tlsrig makes; a file of your own has as "
                       "many as it has: leave the key out",
                       settings.engine.trust_anchors),
           diagnostics);
  }
}

void check_traffic(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  constexpr std::uint64_t payload_most = 8ULL << 30;
  const TrafficSettings& traffic = arm.resolved.traffic;
  if (arm.resolved.workload == Workload::engine) {
    return;
  }
  if (traffic.threads > traffic.connections && !any_faulty(draft, {"traffic.threads", "traffic.connections"})) {
    add_at(arm, {"traffic.threads", "traffic.connections"},
           fmt::format("traffic.threads = {} is more than traffic.connections = {}: a thread would have nothing to do",
                       traffic.threads, traffic.connections),
           diagnostics);
  }
  if (any_faulty(draft, {"traffic.connections", "traffic.message_size", "traffic.reply_size"})) {
    return;
  }
  const bool replies = !is_one_way(arm.resolved.workload);
  const auto text = [](std::uint64_t size) { return format_quantity(QuantityKind::size, size); };
  const auto payload = multiply(traffic.connections, traffic.message_size + (replies ? traffic.reply_size : 0));
  if (!payload || *payload > payload_most) {
    add_at(arm, {"traffic.connections", "traffic.message_size", "traffic.reply_size"},
           replies ? fmt::format("traffic.connections x (message_size + reply_size) = {} x ({} + {}) is more than {}",
                                 traffic.connections, text(traffic.message_size), text(traffic.reply_size),
                                 text(payload_most))
                   : fmt::format("traffic.connections x message_size = {} x {} is more than {}", traffic.connections,
                                 text(traffic.message_size), text(payload_most)),
           diagnostics);
  }
}

// Bytes that the buffers of a connection take on the wires of one role, in which both directions have their own.
std::uint64_t window_bytes(const Settings& settings, std::string_view role) {
  constexpr std::uint64_t record = 16384 + 96, largest_batch = 4 << 20;
  const TrafficSettings& traffic = settings.traffic;
  std::uint64_t out = record;
  if (is_one_way(settings.workload) && traffic.write == WriteStrategy::batched && is_source(settings, role)) {
    const std::uint64_t messages = std::max<std::uint64_t>(traffic.batch_size / traffic.message_size, 1);
    out = std::min(largest_batch, std::max(record, messages * (traffic.message_size + 96)));
  }
  return settings.socket.read_size + out;
}

// They are made, and touched, when the connection is: too many would end in the kernel killing what it likes.
void check_buffers(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  constexpr std::uint64_t most = 8ULL << 30;
  const Settings& settings = arm.resolved;
  if (settings.workload == Workload::engine ||
      any_faulty(draft, {"traffic.connections", "traffic.batch_size", "traffic.message_size", "socket.read_size",
                         "relay.read_size"})) {
    return;
  }
  std::uint64_t each = 0;
  each += settings.client.transport == Transport::wire ? window_bytes(settings, "client") : 0;
  each += settings.server.transport == Transport::wire ? window_bytes(settings, "server") : 0;
  if (settings.relay.present) {
    each += settings.relay.transport == Transport::wire ? 2 * window_bytes(settings, "relay") : 0;
    each += settings.relay.read == RelayRead::fixed ? 2 * settings.relay.read_size : 0;
  }
  const auto all = multiply(settings.traffic.connections, each);
  if (!all || *all > most) {
    add_at(arm, {"traffic.connections", "socket.read_size", "traffic.batch_size", "relay.read_size"},
           fmt::format("traffic.connections = {} with buffers of {} bytes each (socket.read_size and what is gathered, "
                       "at every end) would take more than {}; ask for fewer or smaller ones",
                       settings.traffic.connections, each, format_quantity(QuantityKind::size, most)),
           diagnostics);
  }
}

void check_engine(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const EngineSettings& engine = arm.resolved.engine;
  if (arm.resolved.workload == Workload::engine && engine.context == ContextSharing::per_connection &&
      engine.operation != Operation::handshake && engine.operation != Operation::handshake_resumed &&
      !any_faulty(draft, {"engine.context", "engine.operation"})) {
    add_at(arm, {"engine.context", "engine.operation"},
           "engine.context = \"per-connection\" is for engine.operation = \"handshake\" alone: the others keep their "
           "sessions; allowed: \"shared\", \"per-thread\"",
           diagnostics);
  }
}

// RFC 8446, 2.2: TLS 1.3 resumes by tickets alone. What is resumed must be what was asked, so nothing is bent to fit.
void check_resumption(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  const TlsSettings& tls = arm.resolved.tls;
  const EngineSettings& engine = arm.resolved.engine;
  if (any_faulty(draft, {"tls.resumption", "tls.tickets", "tls.version", "tls.policy", "engine.operation",
                         "engine.context", "workload"})) {
    return;
  }
  const bool pinned = tls.policy == Policy::pinned;
  const auto fault = [&](Paths paths, std::string message) { add_at(arm, paths, std::move(message), diagnostics); };
  if (resumes(arm.resolved) && tls.resumption == Resumption::off) {
    return fault({"engine.operation", "tls.resumption"},
                 "engine.operation = \"handshake-resumed\" needs tls.resumption = \"ticket\" (with tls.tickets = 1) or "
                 "\"session-id\" (TLS 1.2)");
  }
  if (tls.resumption == Resumption::off) {
    return;
  }
  if (arm.resolved.workload != Workload::engine) {
    return fault({"tls.resumption", "workload"},
                 fmt::format("workload = \"{}\" resumes no session; allowed with it: \"off\"",
                             workload_name(arm.resolved.workload)));
  }
  if (resumes(arm.resolved) && engine.context != ContextSharing::shared) {
    return fault(
        {"engine.context", "engine.operation"},
        "engine.operation = \"handshake-resumed\" needs engine.context = \"shared\": another context has other "
        "ticket keys and another cache");
  }
  if (tls.resumption == Resumption::session_id && (tls.version != "1.2" || !pinned)) {
    return fault(
        {"tls.resumption", "tls.version", "tls.policy"},
        "tls.resumption = \"session-id\" needs tls.version = \"1.2\", pinned: TLS 1.3 resumes by tickets alone");
  }
  if (tls.resumption == Resumption::session_id && tls.tickets > 0) {
    return fault(
        {"tls.tickets", "tls.resumption"},
        "tls.tickets must be 0 with tls.resumption = \"session-id\": a client that holds a ticket offers that");
  }
  if (tls.resumption == Resumption::ticket && tls.tickets == 0 && pinned) {
    fault({"tls.tickets", "tls.resumption"}, "tls.resumption = \"ticket\" needs tickets: tls.tickets = 1, or more");
  }
}

void check_measure(const Draft& draft, const Settings& base, Diagnostics& diagnostics) {
  const MeasureSettings& measure = base.measure;
  if (measure.slice_ns > measure.block_ns && !any_faulty(draft, {"measure.slice", "measure.block"})) {
    const auto text = [](std::int64_t ns) {
      return format_quantity(QuantityKind::duration, static_cast<std::uint64_t>(ns));
    };
    diagnostics.add(draft.place_of("measure.slice"), "measure.slice",
                    fmt::format("measure.slice = \"{}\" is longer than measure.block = \"{}\"", text(measure.slice_ns),
                                text(measure.block_ns)));
  }
  if (measure.blocks_min > measure.blocks_max && !any_faulty(draft, {"measure.blocks.min", "measure.blocks.max"})) {
    const bool said_max = was_said(draft.place_of("measure.blocks.max"));
    const std::string_view path = said_max ? "measure.blocks.max" : "measure.blocks.min";
    diagnostics.add(draft.place_of(path), path,
                    fmt::format("measure.blocks.min = {} is more than measure.blocks.max = {}", measure.blocks_min,
                                measure.blocks_max));
  }
}

}  // namespace

void check_file(const Draft& draft, const Settings& base, const Overrides& overrides, Diagnostics& diagnostics) {
  constexpr std::uint32_t blocks_most = 1'000;
  if (!draft.keys.contains("workload") && !draft.faulty.contains("workload")) {
    diagnostics.add({}, "workload",
                    fmt::format("missing; allowed: {}; example: workload = \"echo\"",
                                allowed_text(*find_key("workload"), nullptr)));
  }
  if (draft.backends.empty() && !draft.faulty.contains("backends")) {
    diagnostics.add({}, "backends", "missing; example: backends = [\"openssl\", \"plaintcp\"]");
  }
  if (overrides.blocks && (*overrides.blocks == 0 || *overrides.blocks > blocks_most)) {
    diagnostics.add({0, 0, "-r"}, "measure.blocks",
                    fmt::format("found {}; allowed: a whole number from 1 to {}", *overrides.blocks, blocks_most));
  }
  if (base.workload == Workload::pipe && !draft.relay && !draft.faulty.contains("workload")) {
    diagnostics.add(draft.place_of("workload"), "relay",
                    "missing; workload = \"pipe\" goes through a relay: add a table [relay] (an empty one has the "
                    "defaults), or say workload = \"stream\" for none");
  }
  check_measure(draft, base, diagnostics);
}

void check_arm(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics) {
  check_roles(arm, draft, diagnostics);
  check_traffic(arm, draft, diagnostics);
  check_buffers(arm, draft, diagnostics);
  check_write(arm, draft, diagnostics);
  check_engine(arm, draft, diagnostics);
  if (arm.backend != plain_backend) {
    check_certificate_files(arm, draft, diagnostics);
    check_files_readable(arm, diagnostics);
    check_trust_anchors(arm, draft, diagnostics);
    check_cipher(arm, draft, diagnostics);
    check_resumption(arm, draft, diagnostics);
  }
}

}  // namespace tlsrig::scenario
