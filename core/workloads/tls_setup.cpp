// From settings and credentials to the configuration of one side.
#include <tlsrig/workloads/tls_setup.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace tlsrig::workloads {

namespace {

// Sessions that a server keeps for resumption by id: more than there are threads, which resume one each.
constexpr std::uint32_t sessions_by_id = 1024;

std::uint32_t protocol_set(const std::string& version) {
  if (version == "1.3") return TLSRIG_TLS_1_3;
  if (version == "1.2") return TLSRIG_TLS_1_2;
  throw StepError("config", fmt::format("tls.version is \"{}\"; \"1.2\" or \"1.3\" is needed", version));
}

// The groups to offer. In TLS 1.2 the list limits the curve of an ECDSA certificate too (RFC 8422, 5.1), so that curve
// comes after the one asked for, which is first and therefore the one negotiated. Files of the caller's own may be on
// any curve.
std::vector<std::string> group_list(const scenario::TlsSettings& tls) {
  if (tls.group.empty()) return {};
  std::vector<std::string> groups{tls.group};
  if (tls.version != "1.2") return groups;
  std::vector<std::string> curves;
  if (!tls.certificate_files.chain.empty())
    curves = {"secp256r1", "secp384r1"};
  else if (tls.certificate == "ecdsa-p256")
    curves = {"secp256r1"};
  for (const std::string& curve : curves)
    if (std::find(groups.begin(), groups.end(), curve) == groups.end()) groups.push_back(curve);
  return groups;
}

}  // namespace

bool verifies_peer(const scenario::TlsSettings& tls, std::int32_t role) {
  using scenario::Verify;
  if (tls.verify == Verify::both) return true;
  return tls.verify == (role == TLSRIG_CLIENT ? Verify::server : Verify::client);
}

host::ContextOptions context_options(const Assignment& assignment, std::int32_t role) {
  const scenario::TlsSettings& tls = assignment.settings.tls;
  const CertificatePaths& paths = assignment.certificates;
  host::ContextOptions options;
  options.role = role;
  if (backend_of(assignment, role).plain()) return options;

  const bool verify = verifies_peer(tls, role);
  const std::int32_t peer = role == TLSRIG_CLIENT ? TLSRIG_SERVER : TLSRIG_CLIENT;
  if (role == TLSRIG_SERVER) {
    options.certificate_chain = paths.server_chain;
    options.private_key = paths.server_key;
  } else if (verifies_peer(tls, peer)) {
    options.certificate_chain = paths.client_chain;
    options.private_key = paths.client_key;
  }
  if (verify) {
    options.trust_anchors = paths.trust;
    options.verify_peer = TLSRIG_ON;
  }
  if (tls.policy == scenario::Policy::as_shipped) return options;

  if (!verify) options.verify_peer = TLSRIG_NONE;
  options.protocols = protocol_set(tls.version);
  if (!tls.cipher.empty()) options.ciphers = {tls.cipher};
  options.groups = group_list(tls);
  options.tickets = tls.tickets ? tls.tickets : TLSRIG_NONE;
  options.session_cache = TLSRIG_NONE;
  if (scenario::resumes(assignment.settings) && tls.resumption == scenario::Resumption::session_id)
    options.session_cache = sessions_by_id;
  return options;
}

const host::Backend& backend_of(const Assignment& assignment, std::int32_t role) {
  const host::Backend* backend = role == TLSRIG_CLIENT ? assignment.client : assignment.server;
  if (!backend)
    throw StepError("config", fmt::format("the role \"{}\" plays the {} but was given no backend for it",
                                          assignment.role, role == TLSRIG_CLIENT ? "client" : "server"));
  return *backend;
}

host::Context make_context(const Assignment& assignment, std::int32_t role) {
  return {backend_of(assignment, role), context_options(assignment, role)};
}

const char* server_name_for(const Assignment& assignment, std::int32_t role) {
  if (role == TLSRIG_SERVER || !verifies_peer(assignment.settings.tls, role)) return nullptr;
  const std::string& name = assignment.certificates.server_name;
  return name.empty() ? nullptr : name.c_str();
}

void require_transport(const host::Backend& backend, std::uint32_t transport) {
  if (backend.info().transports & transport) return;
  throw host::Unsupported(
      fmt::format("{} has no {} transport", backend.name(), transport == TLSRIG_WIRE ? "wire" : "fd"));
}

}  // namespace tlsrig::workloads
