// What the library is, and its names of ciphers, groups and signatures: priority strings are how anything is chosen.
#include <dlfcn.h>
#include <link.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>

#include "gnutls.hpp"

namespace gnutls_backend {
namespace {

std::string with_case(std::string text, int (*change)(int)) {
  for (char& letter : text) letter = static_cast<char>(change(static_cast<unsigned char>(letter)));
  return text;
}

// A priority string behind GnuTLS's (and the system's) own default; an empty one is that default.
Priorities parse(const std::string& text) {
  gnutls_priority_t priorities = nullptr;
  const char* place = "";
  const int code = text.empty()
                       ? gnutls_priority_init(&priorities, nullptr, nullptr)
                       : gnutls_priority_init2(&priorities, text.c_str(), &place, GNUTLS_PRIORITY_INIT_DEF_APPEND);
  if (code < 0) throw sdk::Failure(TLSRIG_ERROR_OTHER, text + " at " + place + ": " + gnutls_strerror(code), code);
  return Priorities(priorities);
}

// GnuTLS names its suites nearly as IANA does: WITH is left out, and two endings differ.
std::vector<Suite> suites_of(gnutls_priority_t priorities) {
  std::vector<Suite> suites;
  for (unsigned i = 0, index = 0;; ++i) {
    const int code = gnutls_priority_get_cipher_suite_index(priorities, i, &index);
    if (code == GNUTLS_E_UNKNOWN_CIPHER_SUITE) continue;
    if (code < 0) return suites;
    unsigned char id[2];
    gnutls_kx_algorithm_t exchange;
    gnutls_cipher_algorithm_t cipher;
    gnutls_mac_algorithm_t mac;
    gnutls_protocol_t oldest;
    std::string name = gnutls_cipher_suite_info(index, id, &exchange, &cipher, &mac, &oldest);
    std::string priority = std::string(":+") + gnutls_cipher_get_name(cipher) + ":+" + gnutls_mac_get_name(mac);
    if (oldest != GNUTLS_TLS1_3) {
      const std::string exchange_name = gnutls_kx_get_name(exchange);
      priority.insert(0, ":+" + exchange_name);
      name.insert(std::strlen("TLS_") + exchange_name.size(), "_WITH");
      if (name.ends_with("_SHA1")) name.pop_back();
      if (name.ends_with("_POLY1305")) name += "_SHA256";
    }
    suites.push_back({name, priority, oldest == GNUTLS_TLS1_3});
  }
}

bool hardware_aes = false;

// What GnuTLS found in the processor it says in its log alone, while it starts, and that was when the loader mapped it.
std::string build_of(const std::string& version) {
  gnutls_global_deinit();
  gnutls_global_set_log_level(2);
  gnutls_global_set_log_function([](int, const char* line) {
    if (std::strstr(line, "AES accelerator") && std::strstr(line, "detected")) hardware_aes = true;
  });
  const int code = gnutls_global_init();
  gnutls_global_set_log_level(0);
  if (code < 0) throw sdk::Failure(TLSRIG_ERROR_OTHER, gnutls_strerror(code), code);
  std::string build = hardware_aes ? "hardware AES: yes" : "hardware AES: no";
  if (version != GNUTLS_VERSION) build += "; headers: " GNUTLS_VERSION;
  for (const gnutls_library_config_st* entry = gnutls_get_library_config(); entry->name; ++entry)
    build += std::string("; ") + entry->name + ": " + entry->value;
  return build;
}

// The files whose code runs: libgnutls, and those of the libraries that it computes with, which it names itself.
std::vector<const void*> files_in_use() {
  std::vector<const void*> anchors{reinterpret_cast<const void*>(&gnutls_handshake)};
  for (const gnutls_library_config_st* entry = gnutls_get_library_config(); entry->name; ++entry) {
    const std::string name = entry->name;
    if (!name.ends_with("-soname") || name == "libgnutls-soname") continue;
    const auto* map = static_cast<link_map*>(dlopen(entry->value, RTLD_NOW | RTLD_NOLOAD));
    if (map) anchors.push_back(map->l_ld);
  }
  anchors.push_back(nullptr);
  return anchors;
}

[[noreturn]] void refuse(const std::string& what, const char* file, int code) {
  throw sdk::Failure(TLSRIG_ERROR_CONFIG, what + " " + file + ": " + gnutls_strerror(code), code);
}

}  // namespace

void require(int code) {
  if (code < 0) throw sdk::Failure(TLSRIG_ERROR_OTHER, gnutls_strerror(code), code);
}

// What can be asked for: GnuTLS's default, and the variants of its suites that it has but leaves out there. Left out
// is DHE, whose groups are none of TLS 1.2's ECDHE.
const std::vector<Suite>& known_suites() {
  static const std::vector<Suite> suites =
      suites_of(parse("-DHE-RSA:+AES-128-CCM-8:+AES-256-CCM-8:+SHA256:+SHA384").get());
  return suites;
}

const std::vector<std::string>& known_groups() {
  static const std::vector<std::string> groups = [] {
    std::vector<std::string> names;
    const Priorities defaults = parse("-GROUP-DH-ALL");
    const unsigned* list = nullptr;
    const int count = gnutls_priority_group_list(defaults.get(), &list);
    for (int i = 0; i < count; ++i)
      names.push_back(with_case(gnutls_group_get_name(static_cast<gnutls_group_t>(list[i])), std::tolower));
    return names;
  }();
  return groups;
}

// Enables the suites that are asked for, and proves from GnuTLS's own list that it will offer them in this order and no
// others: a priority string combines every key exchange in it with every cipher and every MAC.
Priorities pin(const tlsrig_config& config) {
  std::vector<Suite> wanted;
  std::uint32_t protocols = config.protocols;
  std::string text;
  if (config.ciphers) {
    text = ":%NO_ETM:-CIPHER-ALL:-MAC-ALL:-KX-ALL";
    std::uint32_t used = 0;
    for (const char* const* name = config.ciphers; *name; ++name) {
      const auto suite = std::ranges::find(known_suites(), *name, &Suite::name);
      if (suite == known_suites().end()) throw sdk::Unsupported(std::string("gnutls does not have ") + *name);
      const std::uint32_t protocol = suite->tls13 ? TLSRIG_TLS_1_3 : TLSRIG_TLS_1_2;
      if (protocols && !(protocols & protocol))
        throw sdk::Failure(TLSRIG_ERROR_CONFIG, suite->name + " is no cipher of the protocols that are allowed");
      used |= protocol;
      text += suite->priority;
      wanted.push_back(*suite);
    }
    protocols = used;  // a version without a suite cannot be negotiated, and would bring one with it
  }
  if (config.groups) {
    text += ":-GROUP-ALL";
    for (const char* const* name = config.groups; *name; ++name) {
      if (std::ranges::find(known_groups(), *name) == known_groups().end())
        throw sdk::Unsupported(std::string("gnutls does not have ") + *name);
      text += ":+GROUP-" + with_case(*name, std::toupper);
    }
  }
  if (protocols & TLSRIG_TLS_1_2) text.insert(0, ":+VERS-TLS1.2");
  if (protocols & TLSRIG_TLS_1_3) text.insert(0, ":+VERS-TLS1.3");
  if (protocols) text.insert(0, ":-VERS-ALL");
  Priorities priorities = parse(text.empty() ? text : text.substr(1));
  if (!config.ciphers) return priorities;
  const std::vector<Suite> offered = suites_of(priorities.get());
  std::ranges::stable_partition(wanted, std::identity{}, &Suite::tls13);  // GnuTLS lists those of TLS 1.3 first
  if (!std::ranges::equal(offered, wanted, {}, &Suite::name, &Suite::name))
    throw sdk::Unsupported(
        "gnutls cannot offer just these ciphers in this order: its priority strings combine every key "
        "exchange with every cipher and every MAC");
  return priorities;
}

// GnuTLS loads a chain and its key in one call, and does not tell which of them was bad.
void load_certificate(gnutls_certificate_credentials_t credentials, const char* chain, const char* key) {
  if (!chain || !key) throw sdk::Failure(TLSRIG_ERROR_CONFIG, "a certificate chain and a private key go together");
  const int code = gnutls_certificate_set_x509_key_file2(credentials, chain, key, GNUTLS_X509_FMT_PEM, nullptr, 0);
  if (code >= 0) return;
  gnutls_datum_t bytes{};
  gnutls_x509_crt_t* certificates = nullptr;
  unsigned count = 0;
  int chain_code = gnutls_load_file(chain, &bytes);
  if (chain_code >= 0) chain_code = gnutls_x509_crt_list_import2(&certificates, &count, &bytes, GNUTLS_X509_FMT_PEM, 0);
  for (unsigned i = 0; i < count; ++i) gnutls_x509_crt_deinit(certificates[i]);
  gnutls_free(certificates);
  gnutls_free(bytes.data);
  if (chain_code < 0) refuse("certificate chain", chain, chain_code);
  refuse("private key", key, code);
}

void load_trust_anchors(gnutls_certificate_credentials_t credentials, const char* file) {
  const int count = gnutls_certificate_set_x509_trust_file(credentials, file, GNUTLS_X509_FMT_PEM);
  if (count <= 0) refuse("trust anchors", file, count ? count : GNUTLS_E_NO_CERTIFICATE_FOUND);
}

// GnuTLS has some 200 codes, and the alert that it has for one says what kind it is.
std::int32_t kind_of(int code) noexcept {
  const int alert = gnutls_error_to_alert(code, nullptr);
  if ((alert >= GNUTLS_A_BAD_CERTIFICATE && alert <= GNUTLS_A_CERTIFICATE_UNKNOWN) ||
      alert == GNUTLS_A_CERTIFICATE_REQUIRED || code == GNUTLS_E_NO_CERTIFICATE_FOUND ||
      code == GNUTLS_E_KEY_USAGE_VIOLATION)
    return TLSRIG_ERROR_CERTIFICATE;
  return alert == GNUTLS_A_INTERNAL_ERROR ? TLSRIG_ERROR_OTHER : TLSRIG_ERROR_PROTOCOL;
}

const char* group_name(gnutls_group_t group) noexcept {
  const char* const name = gnutls_group_get_name(group);
  if (!name) return nullptr;
  for (const std::string& known : known_groups())
    if (strcasecmp(known.c_str(), name) == 0) return known.c_str();
  return nullptr;
}

const char* signature_name(int algorithm) noexcept {
  switch (algorithm) {
    case GNUTLS_SIGN_RSA_SHA1:
      return "rsa_pkcs1_sha1";
    case GNUTLS_SIGN_RSA_SHA256:
      return "rsa_pkcs1_sha256";
    case GNUTLS_SIGN_RSA_SHA384:
      return "rsa_pkcs1_sha384";
    case GNUTLS_SIGN_RSA_SHA512:
      return "rsa_pkcs1_sha512";
    case GNUTLS_SIGN_RSA_PSS_RSAE_SHA256:
      return "rsa_pss_rsae_sha256";
    case GNUTLS_SIGN_RSA_PSS_RSAE_SHA384:
      return "rsa_pss_rsae_sha384";
    case GNUTLS_SIGN_RSA_PSS_RSAE_SHA512:
      return "rsa_pss_rsae_sha512";
    case GNUTLS_SIGN_RSA_PSS_SHA256:
      return "rsa_pss_pss_sha256";
    case GNUTLS_SIGN_RSA_PSS_SHA384:
      return "rsa_pss_pss_sha384";
    case GNUTLS_SIGN_RSA_PSS_SHA512:
      return "rsa_pss_pss_sha512";
    case GNUTLS_SIGN_ECDSA_SHA1:
      return "ecdsa_sha1";
    case GNUTLS_SIGN_ECDSA_SHA256:
    case GNUTLS_SIGN_ECDSA_SECP256R1_SHA256:
      return "ecdsa_secp256r1_sha256";
    case GNUTLS_SIGN_ECDSA_SHA384:
    case GNUTLS_SIGN_ECDSA_SECP384R1_SHA384:
      return "ecdsa_secp384r1_sha384";
    case GNUTLS_SIGN_ECDSA_SHA512:
    case GNUTLS_SIGN_ECDSA_SECP521R1_SHA512:
      return "ecdsa_secp521r1_sha512";
    case GNUTLS_SIGN_EDDSA_ED25519:
      return "ed25519";
    case GNUTLS_SIGN_EDDSA_ED448:
      return "ed448";
    default:
      return nullptr;
  }
}

const tlsrig_info& Context::start() {
  static const std::string version = gnutls_check_version(nullptr);
  static const std::string build = build_of(version);
  static const std::vector<const void*> anchors = files_in_use();
  static std::vector<const char*> ciphers, groups;
  for (const Suite& suite : known_suites()) ciphers.push_back(suite.name.c_str());
  for (const std::string& group : known_groups()) groups.push_back(group.c_str());
  ciphers.push_back(nullptr);
  groups.push_back(nullptr);
  static const tlsrig_info info{sizeof(tlsrig_info),
                                sizeof(tlsrig_config),
                                "gnutls",
                                version.c_str(),
                                build.c_str(),
                                anchors.data(),
                                TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3,
                                TLSRIG_WIRE | TLSRIG_FD,
                                ciphers.data(),
                                groups.data()};
  return info;
}

}  // namespace gnutls_backend
