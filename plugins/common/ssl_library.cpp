// Identity of the library.
#include "ssl_library.hpp"

#include <openssl/crypto.h>

#include <cstring>
#include <utility>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::ssl {

const char* require_library(const char* needed) {
  const char* version = OpenSSL_version(OPENSSL_VERSION);
  if (std::strncmp(version, needed, std::strlen(needed)) == 0) return version;
  throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("the library calls itself \"") + version + "\", needed is " +
                                              needed + ": take the other one out of LD_PRELOAD or LD_LIBRARY_PATH");
}

Library::Library(const char* backend, const char* version, std::string build,
                 std::vector<const SSL_CIPHER*> (*list_suites)(SSL_CTX*), bool chooses_tls_1_3)
    : build_(std::move(build)),
      scratch_(new_context()),
      catalogue_(backend, list_suites(scratch_.get()), scratch_.get(), chooses_tls_1_3),
      anchors_{reinterpret_cast<const void*>(&SSL_CTX_new), reinterpret_cast<const void*>(&OpenSSL_version), nullptr},
      info_{.struct_size = sizeof(tlsrig_info),
            .config_size = sizeof(tlsrig_config),
            .name = backend,
            .library = version,
            .build = build_.c_str(),
            .anchors = anchors_,
            .protocols = TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3,
            .transports = TLSRIG_WIRE | TLSRIG_FD,
            .ciphers = catalogue_.cipher_names(),
            .groups = catalogue_.group_names()} {}

}  // namespace tlsrig::ssl
