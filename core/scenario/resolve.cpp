// From what was said to what holds.
#include <tlsrig/scenario/resolve.hpp>

#include <algorithm>

#include <tlsrig/scenario/suites.hpp>

namespace tlsrig::scenario {
namespace {

// --quick shortens what the file says; what -s says stays.
template <class T>
void shorten(const Draft& draft, std::string_view path, T& value, T most) {
  if (draft.place_of(path).flag.empty()) {
    value = std::min(value, most);
  }
}

constexpr std::string_view left_to_library[] = {"tls.version", "tls.cipher", "tls.group", "tls.tickets"};

}  // namespace

Settings base_settings(const Draft& draft, const Overrides& overrides) {
  Settings settings;
  settings.workload = draft.workload.value_or(Workload::echo);
  settings.relay.present = draft.relay;
  for (const auto& [path, assigned] : draft.keys) {
    if (assigned.key->access.set != nullptr) {
      assigned.key->access.set(settings, assigned.value);
    }
  }
  MeasureSettings& measure = settings.measure;
  if (overrides.quick) {
    shorten(draft, "measure.warmup", measure.warmup_ns, std::int64_t{100'000'000});
    shorten(draft, "measure.block", measure.block_ns, std::int64_t{200'000'000});
    shorten(draft, "measure.blocks.min", measure.blocks_min, 8U);
    shorten(draft, "measure.blocks.max", measure.blocks_max, 8U);
    if (measure.slice_ns > measure.block_ns && draft.place_of("measure.slice").flag.empty()) {
      measure.slice_ns = measure.block_ns;
    }
  }
  if (overrides.blocks) {
    measure.blocks_min = measure.blocks_max = *overrides.blocks;
  }
  if (overrides.seed) {
    measure.seed = *overrides.seed;
  }
  return settings;
}

void resolve_cipher(TlsSettings& tls) {
  if (tls.cipher.empty()) {
    tls.cipher = default_suite(tls.version, key_kind(tls.certificate));
  }
}

void resolve_arm(Settings& settings, std::string_view backend) {
  for (std::string* player : {&settings.client.backend, &settings.server.backend, &settings.relay.backend}) {
    if (*player == "backend" || backend == plain_backend) {
      *player = backend;
    }
  }
  if (settings.relay.present) {  // a session has two ends: the far end of a plain leg can be no other
    if (settings.relay.inbound == LegProtocol::plain) {
      settings.client.backend = plain_backend;
    }
    if (settings.relay.outbound == LegProtocol::plain) {
      settings.server.backend = plain_backend;
    }
  }
  if (settings.tls.policy == Policy::as_shipped) {
    settings.tls.version.clear();
    settings.tls.cipher.clear();
    settings.tls.group.clear();
    settings.tls.tickets = 0;
  } else {
    resolve_cipher(settings.tls);
    if (!has_group(settings.tls.cipher)) {
      settings.tls.group.clear();
    }
  }
}

namespace {

bool is_plain_everywhere(const Settings& settings) {
  const bool far_ends = settings.client.backend == plain_backend && settings.server.backend == plain_backend;
  return far_ends && (!settings.relay.present || settings.relay.backend == plain_backend);
}

bool has_effect_in_engine(std::string_view path, const Settings& settings) {
  const Operation operation = settings.engine.operation;
  if (path == "engine.message_size" || path == "engine.buffers") {
    return moves_payload(operation);
  }
  if (path == "engine.context") {
    return operation != Operation::context_new;
  }
  if (path == "engine.trust_anchors") {
    return !moves_payload(operation) && operation != Operation::session_new && settings.tls.verify != Verify::none;
  }
  return true;
}

}  // namespace

bool is_behind_plain_leg(std::string_view path, const RelaySettings& relay) {
  return relay.present && ((path == "roles.client.backend" && relay.inbound == LegProtocol::plain) ||
                           (path == "roles.server.backend" && relay.outbound == LegProtocol::plain));
}

bool has_effect(std::string_view path, const Settings& settings) {
  if ((lies_in(path, "relay") && !settings.relay.present) || is_behind_plain_leg(path, settings.relay)) {
    return false;
  }
  constexpr std::string_view of_tls[] = {"roles.client.backend", "roles.server.backend", "relay.backend",
                                         "relay.inbound",        "relay.outbound",       "engine.trust_anchors"};
  if (is_plain_everywhere(settings) &&
      (lies_in(path, "tls") || std::find(std::begin(of_tls), std::end(of_tls), path) != std::end(of_tls))) {
    return false;
  }
  if (settings.tls.policy == Policy::as_shipped &&
      std::find(std::begin(left_to_library), std::end(left_to_library), path) != std::end(left_to_library)) {
    return false;
  }
  if (path == "tls.group") {
    return has_group(settings.tls.cipher);
  }
  if (path == "traffic.batch_size") {
    return settings.traffic.write != WriteStrategy::per_message;
  }
  if (path == "socket.read_size") {
    return settings.client.transport == Transport::wire || settings.server.transport == Transport::wire ||
           (settings.relay.present && settings.relay.transport == Transport::wire);
  }
  return has_effect_in_engine(path, settings);
}

bool has_effect(const Axis& axis, const Settings& settings) {
  const auto paths = keys_of(axis);
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return has_effect(path, settings); });
}

}  // namespace tlsrig::scenario
