// The settings that steps start from.
#include <tlsrig/check/bench/settings.hpp>

namespace tlsrig::check {

Settings bare(std::uint32_t protocol) {
  Settings settings;
  settings.client.role = TLSRIG_CLIENT;
  settings.server.role = TLSRIG_SERVER;
  settings.client.protocols = settings.server.protocols = protocol;
  return settings;
}

Settings as_shipped(std::uint32_t protocol, const credentials::Credentials& credentials) {
  Settings settings = bare(protocol);
  settings.server.certificate_chain = credentials.server_chain;
  settings.server.private_key = credentials.server_key;
  settings.client.trust_anchors = credentials.trust;
  settings.client.verify_peer = TLSRIG_ON;
  return settings;
}

Settings pinned(std::uint32_t protocol, const std::string& cipher, const std::string& group,
                const credentials::Credentials& credentials) {
  Settings settings = as_shipped(protocol, credentials);
  const bool limits_certificate = protocol == TLSRIG_TLS_1_2 && cipher.find("_ECDSA_") != std::string::npos;
  for (host::ContextOptions* options : {&settings.client, &settings.server}) {
    options->ciphers = {cipher};
    if (!group.empty()) options->groups = {group};
    if (limits_certificate && group != "secp256r1") options->groups.push_back("secp256r1");
    options->tickets = TLSRIG_NONE;
    options->session_cache = TLSRIG_NONE;
  }
  settings.server.verify_peer = TLSRIG_NONE;
  return settings;
}

bool uses_group(std::string_view cipher) { return !cipher.starts_with("TLS_RSA_"); }

std::vector<std::string> curves_of(const host::Backend& backend) {
  std::vector<std::string> curves;
  for (const char* const name : {"x25519", "secp256r1", "secp384r1", "secp521r1", "x448"})
    if (backend.has_group(name)) curves.emplace_back(name);
  return curves;
}

std::vector<std::string> groups_for(const host::Backend& backend, std::uint32_t protocol, std::string_view cipher) {
  const bool tls13 = protocol == TLSRIG_TLS_1_3;
  if (!tls13 && cipher.starts_with("TLS_ECDHE_")) return curves_of(backend);
  std::vector<std::string> groups;
  for (const char* const* name = backend.info().groups; name && *name; ++name)
    if (tls13 || (cipher.starts_with("TLS_DHE_") && std::string_view(*name).starts_with("ffdhe")))
      groups.emplace_back(*name);
  if (groups.empty() && !tls13) groups.emplace_back();
  return groups;
}

Settings usual(const Setup& setup) {
  if (setup.protocol == 0) return bare(0);
  const char* const cipher =
      setup.protocol == TLSRIG_TLS_1_3 ? "TLS_AES_128_GCM_SHA256" : "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  return pinned(setup.protocol, cipher, "x25519", setup.credentials);
}

Setup setup_without_backend(std::uint32_t protocols, std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  if (protocols == 0) return setup;
  setup.credentials = credentials::ensure("ecdsa-p256");
  setup.rsa_credentials = credentials::ensure("rsa-2048");
  setup.untrusted = credentials::ensure_untrusted("ecdsa-p256");
  setup.expired = credentials::ensure_expired("ecdsa-p256");
  setup.large = credentials::ensure_large("ecdsa-p256");
  return setup;
}

}  // namespace tlsrig::check
