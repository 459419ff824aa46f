// Asking the library what it has, and translating IANA names into its own.
#include "ssl_catalogue.hpp"

#include <openssl/err.h>
#include <openssl/objects.h>

#include <cstring>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::ssl {

namespace {

constexpr Group known_groups[] = {
    {"x25519", "X25519"}, {"secp256r1", "P-256"}, {"secp384r1", "P-384"}, {"secp521r1", "P-521"}, {"x448", "X448"}};

bool is_tls_1_3(const SSL_CIPHER* suite) { return SSL_CIPHER_get_kx_nid(suite) == NID_kx_any; }

// A certificate is all it needs, and it encrypts.
bool needs_certificate_alone(const SSL_CIPHER* suite) {
  if (is_tls_1_3(suite)) return true;
  const int exchange = SSL_CIPHER_get_kx_nid(suite), authentication = SSL_CIPHER_get_auth_nid(suite);
  return (exchange == NID_kx_ecdhe || exchange == NID_kx_rsa) &&
         (authentication == NID_auth_rsa || authentication == NID_auth_ecdsa) &&
         SSL_CIPHER_get_cipher_nid(suite) != NID_undef;
}

void append(std::string& list, const char* name) {
  if (!list.empty()) list += ':';
  list += name;
}

}  // namespace

Catalogue::Catalogue(const char* backend, const std::vector<const SSL_CIPHER*>& suites, SSL_CTX* scratch,
                     bool chooses_tls_1_3)
    : backend_(backend) {
  for (const SSL_CIPHER* suite : suites)
    if (needs_certificate_alone(suite) && SSL_CIPHER_standard_name(suite)) {
      suites_.push_back(suite);
      if (chooses_tls_1_3 || !is_tls_1_3(suite)) cipher_names_.push_back(SSL_CIPHER_standard_name(suite));
    }
  for (const Group& group : known_groups)
    if (SSL_CTX_set1_curves_list(scratch, group.own)) {
      groups_.push_back(group);
      group_names_.push_back(group.iana);
    }
  ERR_clear_error();
  cipher_names_.push_back(nullptr);
  group_names_.push_back(nullptr);
}

const SSL_CIPHER* Catalogue::find_suite(const char* iana) const {
  for (const SSL_CIPHER* suite : suites_)
    if (std::strcmp(SSL_CIPHER_standard_name(suite), iana) == 0) return suite;
  throw sdk::Unsupported(std::string(backend_) + " does not have the cipher " + iana);
}

const Group& Catalogue::find_group(const char* iana) const {
  for (const Group& group : groups_)
    if (std::strcmp(group.iana, iana) == 0) return group;
  throw sdk::Unsupported(std::string(backend_) + " does not have the group " + iana);
}

Selection Catalogue::select(const tlsrig_config& config) const {
  constexpr std::uint32_t known = TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3;
  if (config.protocols & ~known)
    throw sdk::Unsupported(std::string(backend_) + " has TLS 1.2 (1) and TLS 1.3 (2); asked was the set " +
                           std::to_string(config.protocols));
  Selection selection;
  selection.protocols = config.protocols;
  if (!config.ciphers || !*config.ciphers) return selection;

  for (const char* const* name = config.ciphers; *name; ++name) {
    const SSL_CIPHER* suite = find_suite(*name);
    append(is_tls_1_3(suite) ? selection.suites_1_3 : selection.suites_1_2, SSL_CIPHER_get_name(suite));
  }
  std::uint32_t served = 0;
  if (!selection.suites_1_2.empty()) served |= TLSRIG_TLS_1_2;
  if (!selection.suites_1_3.empty()) served |= TLSRIG_TLS_1_3;
  selection.protocols = config.protocols ? config.protocols & served : served;
  if (!selection.protocols)
    throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("none of the ciphers, the first of them ") + *config.ciphers +
                                                ", belongs to the protocol asked, TLS " +
                                                (config.protocols == TLSRIG_TLS_1_2 ? "1.2" : "1.3"));
  return selection;
}

std::string Catalogue::group_list(const tlsrig_config& config) const {
  std::string list;
  for (const char* const* name = config.groups; name && *name; ++name) append(list, find_group(*name).own);
  return list;
}

}  // namespace tlsrig::ssl
