#include <tlsrig/rig/inspection.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::rig {

namespace {

constexpr double inspection_seconds = 15;

InspectedBackend refused(InspectedBackend backend, std::string reason) {
  backend.state = InspectedBackend::State::refused;
  backend.reason = std::move(reason);
  return backend;
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
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

InspectedBackend inspect(const std::string& expected_name, const PluginSource& source, Interruption& interruption) {
  InspectedBackend backend;
  backend.name = expected_name;
  backend.source = source;
  WorkerProcess worker(fmt::format("{} inspection", expected_name), interruption);
  worker.ask({{"do", "load"},
              {"plugins", Json::array({{{"path", source.path}, {"library_directory", source.library_directory}}})}});
  const std::int64_t deadline_ns = measure::now_ns() + static_cast<std::int64_t>(inspection_seconds * 1e9);
  const Answer answer = std::move(await({&worker}, 1, deadline_ns, inspection_seconds, interruption).front());
  if (answer.failure) return refused(std::move(backend), answer.failure->reason);
  take_description(backend, answer.message.at("backends").at(0));
  if (backend.record.name != expected_name)
    return refused(std::move(backend),
                   fmt::format("{}: the plugin calls itself \"{}\", its file \"{}\": rename the file to {}.so",
                               source.path, backend.record.name, expected_name, backend.record.name));
  if (const auto failure = worker.end()) return refused(std::move(backend), failure->reason);
  backend.state = InspectedBackend::State::ready;
  return backend;
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
  if (!has(backend.groups, tls.group)) return fmt::format("{} does not have the group {}", backend.name, tls.group);
  return {};
}

}  // namespace tlsrig::rig
