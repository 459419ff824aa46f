// Certificates for test sessions: a root, an intermediate and leaves for server and client, made at first use with the
// `openssl` command (the program itself links no TLS library) and kept in a cache directory of the user's own.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace tlsrig::credentials {

// The host name and addresses in every server certificate.
inline constexpr const char* server_name = "server.tlsrig.test";  // also: localhost, 127.0.0.1, ::1

struct Credentials {
  std::filesystem::path server_chain, server_key;  // chain: leaf, intermediate
  std::filesystem::path client_chain, client_key;
  std::filesystem::path trust;  // the root; in the end, where there are others too
};

struct CredentialsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// TLSRIG_CACHE_DIR, else XDG_CACHE_HOME/tlsrig, else HOME/.cache/tlsrig.
std::filesystem::path default_cache_directory();

// The credentials of a kind ("ecdsa-p256", "rsa-2048", "rsa-3072") from the cache, made when missing, damaged or within
// a day of their end. Several processes may ask at once. Throws CredentialsError with the command that failed.
Credentials ensure(const std::string& kind, const std::filesystem::path& cache_directory = default_cache_directory());

// A set of the same kind whose trust file holds so many root certificates, its own the last: whoever reads only the
// first finds no issuer. The others have ECDSA P-256 keys, each its own, and sign nothing. 1: the set of `ensure`
// without.
Credentials ensure(const std::string& kind, unsigned trust_anchors,
                   const std::filesystem::path& cache_directory = default_cache_directory());

// A set of the same kind under another root, which no trust file of `ensure` contains: for tests of refusal.
Credentials ensure_untrusted(const std::string& kind,
                             const std::filesystem::path& cache_directory = default_cache_directory());

// A set of the same kind whose server and client certificates have expired; root and intermediate have not.
Credentials ensure_expired(const std::string& kind,
                           const std::filesystem::path& cache_directory = default_cache_directory());

// A set of the same kind whose server chain is larger than 40 KiB on the wire, by the number of names in its leaf.
Credentials ensure_large(const std::string& kind,
                         const std::filesystem::path& cache_directory = default_cache_directory());

}  // namespace tlsrig::credentials
