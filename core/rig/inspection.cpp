// Asking a plugin what it is, in a worker of its own.
#include <tlsrig/rig/inspection.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/rig/worker.hpp>
#include <tlsrig/rig/worker_process.hpp>

namespace tlsrig::rig {

namespace {

constexpr double inspection_seconds = 12;  // start may take 10 s by the contract

InspectedBackend refused(InspectedBackend backend, std::string reason) {
  backend.state = InspectedBackend::State::refused;
  backend.reason = std::move(reason);
  return backend;
}

InspectedBackend uninspected(const std::string& name, const PluginSource& source) {
  InspectedBackend backend;
  backend.name = name;
  backend.source = source;
  if (!source.plugin.empty()) backend.record.variant = name;
  return backend;
}

// Ready, when the plugin is the one that its file promises.
InspectedBackend judged(InspectedBackend backend) {
  const std::string& expected = backend.source.plugin.empty() ? backend.name : backend.source.plugin;
  if (backend.record.name != expected) {
    const std::string reason =
        fmt::format("{}: the plugin calls itself \"{}\", its file \"{}\": rename the file to {}.so",
                    backend.source.path, backend.record.name, expected, backend.record.name);
    return refused(std::move(backend), reason);
  }
  backend.state = InspectedBackend::State::ready;
  backend.source.files = backend.record.files;
  return backend;
}

report::Json features_of(const InspectedBackend& backend) {
  using report::Json;
  Json versions = Json::array(), transports = Json::array();
  if (backend.protocols & TLSRIG_TLS_1_2) versions.push_back("1.2");
  if (backend.protocols & TLSRIG_TLS_1_3) versions.push_back("1.3");
  if (backend.transports & TLSRIG_FD) transports.push_back("fd");
  if (backend.transports & TLSRIG_WIRE) transports.push_back("wire");
  // Names of TLS 1.3 suites tell no key exchange.
  const bool names_tls13 = std::any_of(backend.ciphers.begin(), backend.ciphers.end(), [](const std::string& cipher) {
    return cipher.find("_WITH_") == std::string::npos;
  });
  return {{"versions", std::move(versions)},
          {"transports", std::move(transports)},
          {"ciphers", backend.ciphers},
          {"chooses_tls13_ciphers", backend.protocols & TLSRIG_TLS_1_3 ? Json(names_tls13) : Json(nullptr)},
          {"groups", backend.groups},
          {"extensions", backend.extensions}};
}

void take_description(InspectedBackend& backend, const Json& told) {
  backend.record.name = told.at("name").get<std::string>();
  backend.record.library = told.at("library").get<std::string>();
  backend.record.build = told.at("build").get<std::string>();
  for (const Json& file : told.at("files"))
    backend.record.files.push_back({file.at("path").get<std::string>(), file.at("build_id").get<std::string>()});
  backend.record.warnings = told.at("warnings").get<std::vector<std::string>>();
  backend.protocols = told.at("protocols").get<std::uint32_t>();
  backend.transports = told.at("transports").get<std::uint32_t>();
  backend.ciphers = told.at("ciphers").get<std::vector<std::string>>();
  backend.groups = told.at("groups").get<std::vector<std::string>>();
  backend.extensions = told.at("extensions").get<std::vector<std::string>>();
  backend.record.features = features_of(backend);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

InspectedBackend inspect(const std::string& name, const PluginSource& source, Interruption& interruption) {
  InspectedBackend backend = uninspected(name, source);
  const bool variant = !source.plugin.empty();
  WorkerProcess worker(variant ? fmt::format("variant {}", name) : fmt::format("{} inspection", name),
                       library_path({source}), interruption);
  worker.ask(load_request({source}));
  const std::int64_t deadline_ns = measure::now_ns() + static_cast<std::int64_t>(inspection_seconds * 1e9);
  const Answer answer = std::move(await({&worker}, 1, deadline_ns, inspection_seconds, interruption).front());
  if (answer.failure) {
    const bool answered = answer.failure->cause == StepFailure::Cause::answered && !variant;
    // A refusal names the plugin itself; role and step would say nothing more.
    return refused(std::move(backend), answered ? answer.message.value("reason", "") : answer.failure->reason);
  }
  take_description(backend, answer.message.at("backends").at(0));
  if (const auto failure = worker.end()) return refused(std::move(backend), failure->reason);
  return judged(std::move(backend));
}

InspectedBackend inspect_here(const std::string& name, const PluginSource& source, LoadedBackends& loaded) {
  InspectedBackend backend = uninspected(name, source);
  try {
    take_description(backend, describe(loaded.load(source)));
  } catch (const host::Refusal& refusal) {
    return refused(std::move(backend),
                   source.plugin.empty() ? refusal.what() : fmt::format("variant {}: {}", name, refusal.what()));
  }
  return judged(std::move(backend));
}

std::string unsupported_reason(const InspectedBackend& backend, const scenario::TlsSettings& tls,
                               scenario::Transport transport) {
  if (backend.state == InspectedBackend::State::missing) return backend.reason;
  const std::uint32_t kind = transport == scenario::Transport::wire ? TLSRIG_WIRE : TLSRIG_FD;
  if (!(backend.transports & kind))
    return fmt::format("{} does not offer the transport \"{}\"", backend.name, kind == TLSRIG_WIRE ? "wire" : "fd");
  if (backend.plain() || tls.policy == scenario::Policy::as_shipped) return {};
  const std::uint32_t protocol = tls.version == "1.2" ? TLSRIG_TLS_1_2 : TLSRIG_TLS_1_3;
  if (!(backend.protocols & protocol)) return fmt::format("{} does not offer TLS {}", backend.name, tls.version);
  if (protocol == TLSRIG_TLS_1_2 && !has(backend.ciphers, tls.cipher))
    return fmt::format("{} does not have the cipher {}", backend.name, tls.cipher);
  if (!tls.group.empty() && !has(backend.groups, tls.group))
    return fmt::format("{} does not have the group {}", backend.name, tls.group);
  return {};
}

}  // namespace tlsrig::rig
