// Certificates for test sessions: which set, from which cache.
#include <tlsrig/credentials/credentials.hpp>

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "cache.hpp"
#include "issue.hpp"

namespace tlsrig::credentials {

namespace {

namespace fs = std::filesystem;

// fs::absolute without an error to look at throws where the current directory was removed.
fs::path absolute_place(const fs::path& path) {
  std::error_code failed;
  fs::path found = fs::absolute(path, failed);
  if (failed)
    throw CredentialsError(fmt::format(
        "cannot tell where {} is, in which test certificates are kept: {}; set TLSRIG_CACHE_DIR to an absolute path",
        path.string(), failed.message()));
  return found;
}

Credentials from_set(const std::string& kind, const std::string& set, const std::string& who, const fs::path& cache,
                     Leaves leaves = Leaves::usual, unsigned other_roots = 0) {
  check_kind(kind);
  const auto make = [&](const fs::path& directory) { issue(kind, who, directory, leaves, other_roots); };
  const fs::path directory = kept_or_made(absolute_place(cache), set, make);
  return {directory / server_chain_file, directory / server_key_file, directory / client_chain_file,
          directory / client_key_file, directory / trust_file};
}

const char* set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

}  // namespace

fs::path default_cache_directory() {
  if (const char* own = set_variable("TLSRIG_CACHE_DIR")) return absolute_place(own);
  if (const char* base = set_variable("XDG_CACHE_HOME"); base && fs::path(base).is_absolute())
    return fs::path(base) / "tlsrig";
  if (const char* home = set_variable("HOME")) return absolute_place(home) / ".cache" / "tlsrig";
  throw CredentialsError(
      "no place to keep test certificates: none of TLSRIG_CACHE_DIR, XDG_CACHE_HOME and HOME is set; set "
      "TLSRIG_CACHE_DIR to a directory that can be written");
}

Credentials ensure(const std::string& kind, const fs::path& cache_directory) {
  return from_set(kind, kind, "tlsrig " + kind, cache_directory);
}

Credentials ensure(const std::string& kind, unsigned trust_anchors, const fs::path& cache_directory) {
  if (trust_anchors == 0) throw CredentialsError("a trust file of 0 certificates was asked for; 1 or more are needed");
  if (trust_anchors == 1) return ensure(kind, cache_directory);
  return from_set(kind, fmt::format("{}-anchors-{}", trust_anchors, kind), "tlsrig " + kind, cache_directory,
                  Leaves::usual, trust_anchors - 1);
}

// The subjects differ too: a library that finds the issuer's name trusted reports a bad signature, not an unknown root.
Credentials ensure_untrusted(const std::string& kind, const fs::path& cache_directory) {
  return from_set(kind, "untrusted-" + kind, "tlsrig untrusted " + kind, cache_directory);
}

Credentials ensure_expired(const std::string& kind, const fs::path& cache_directory) {
  return from_set(kind, "expired-" + kind, "tlsrig expired " + kind, cache_directory, Leaves::expired);
}

Credentials ensure_large(const std::string& kind, const fs::path& cache_directory) {
  return from_set(kind, "large-" + kind, "tlsrig large " + kind, cache_directory, Leaves::large);
}

}  // namespace tlsrig::credentials
