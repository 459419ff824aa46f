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
  for (RoleSettings* role : {&settings.client, &settings.server}) {
    if (role->backend == "backend" || backend == plain_backend) {
      role->backend = backend;
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

bool is_handshake(Operation operation) {
  return operation == Operation::handshake || operation == Operation::handshake_resumed ||
         operation == Operation::context_new || operation == Operation::session_new;
}

bool has_effect(std::string_view path, const Settings& settings) {
  const bool plain = settings.client.backend == plain_backend && settings.server.backend == plain_backend;
  if (plain && (lies_in(path, "tls") || path == "roles.client.backend" || path == "roles.server.backend")) {
    return false;
  }
  if (settings.tls.policy == Policy::as_shipped &&
      std::find(std::begin(left_to_library), std::end(left_to_library), path) != std::end(left_to_library)) {
    return false;
  }
  if (path == "tls.group") {
    return has_group(settings.tls.cipher);
  }
  if (path == "engine.message_size") {
    return !is_handshake(settings.engine.operation);
  }
  if (path == "socket.read_size") {
    return settings.client.transport == Transport::wire || settings.server.transport == Transport::wire;
  }
  return true;
}

bool has_effect(const Axis& axis, const Settings& settings) {
  const auto paths = keys_of(axis);
  return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) { return has_effect(path, settings); });
}

}  // namespace tlsrig::scenario
