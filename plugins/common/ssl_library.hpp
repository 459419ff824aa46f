// OpenSSL or BoringSSL as this process found it: what a backend tells of itself.
#pragma once

#include <openssl/ssl.h>

#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>

#include "ssl_catalogue.hpp"
#include "ssl_context.hpp"

namespace tlsrig::ssl {

// The library's own version string. Throws sdk::Failure when it does not begin with `needed`: with the other library in
// LD_PRELOAD every name is found there, and the first handshake crashes.
const char* require_library(const char* needed);

// Constant once made; any thread may read it.
class Library {
 public:
  // `backend` and `version` must live as long as this. `list_suites` gets a context of its own to ask what there is.
  Library(const char* backend, const char* version, std::string build,
          std::vector<const SSL_CIPHER*> (*list_suites)(SSL_CTX*), bool chooses_tls_1_3);
  Library(const Library&) = delete;  // info_ points into this
  Library& operator=(const Library&) = delete;

  const Catalogue& catalogue() const { return catalogue_; }
  const tlsrig_info& info() const { return info_; }

 private:
  std::string build_;
  OwnedContext scratch_;
  Catalogue catalogue_;
  const void* anchors_[3];
  tlsrig_info info_;
};

}  // namespace tlsrig::ssl
