// What OpenSSL or BoringSSL has, by IANA name: found by asking the library, not by a list of what a version should
// have.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::ssl {

struct Group {
  const char* iana;
  const char* own;  // as SSL_CTX_set1_curves_list takes it, in both libraries
};

// The suites and protocols that a configuration's names come to.
struct Selection {
  std::uint32_t protocols = 0;         // 0: the library's default
  std::string suites_1_2, suites_1_3;  // the library's own names, ':' between them; empty: the library's default
};

// Constant once made; any thread may read it.
class Catalogue {
 public:
  // `backend` names the plugin in words. `suites`: what the library has; those that need more than a certificate
  // (PSK, SRP, anonymous, NULL, finite-field DH parameters) are left out. Groups are tried on `scratch`.
  // chooses_tls_1_3 false: TLS 1.3 suites are known, so that asking for one is no error, but not told as a choice.
  Catalogue(const char* backend, const std::vector<const SSL_CIPHER*>& suites, SSL_CTX* scratch, bool chooses_tls_1_3);

  const char* const* cipher_names() const { return cipher_names_.data(); }  // IANA, NULL-terminated
  const char* const* group_names() const { return group_names_.data(); }    // IANA, NULL-terminated

  // What the configuration's protocols and ciphers mean. Pinned ciphers of one protocol alone leave out the other:
  // else it would run with suites that nobody asked for. Throws sdk::Unsupported, sdk::Failure.
  Selection select(const tlsrig_config& config) const;

  // The list for SSL_CTX_set1_curves_list; empty: the library's default. Throws sdk::Unsupported.
  std::string group_list(const tlsrig_config& config) const;

  const char* backend() const { return backend_; }

 private:
  // Both throw sdk::Unsupported with the name.
  const SSL_CIPHER* find_suite(const char* iana) const;
  const Group& find_group(const char* iana) const;

  const char* backend_;
  std::vector<const SSL_CIPHER*> suites_;
  std::vector<Group> groups_;
  std::vector<const char*> cipher_names_, group_names_;
};

}  // namespace tlsrig::ssl
