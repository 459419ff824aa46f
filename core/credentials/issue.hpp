// Issuing one set of certificates with the `openssl` command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tlsrig::credentials {

// Names of the files of a set inside its directory.
inline constexpr const char* server_chain_file = "server-chain.pem";
inline constexpr const char* server_key_file = "server-key.pem";
inline constexpr const char* client_chain_file = "client-chain.pem";
inline constexpr const char* client_key_file = "client-key.pem";
inline constexpr const char* trust_file = "root.pem";

inline constexpr int lifetime_days = 3653;  // ten years, whatever leap days fall into them

// The kinds that can be issued, in the words of scenarios.
std::vector<std::string> kinds();

// Throws CredentialsError, which lists the kinds, unless `kind` is one.
void check_kind(const std::string& kind);

// What is out of the ordinary with the leaves of a set.
enum class Leaves {
  usual,
  expired,  // good for one month of the past
  large,    // the server's holds so many names that it alone is larger than 40 KiB
};

// Issues a root, an intermediate and the two leaves of a kind into an empty directory. The names of the subjects begin
// with `who`. In the trust file so many other roots come before the root. The keys of roots and intermediate are not
// kept. Throws CredentialsError.
void issue(const std::string& kind, const std::string& who, const std::filesystem::path& directory,
           Leaves leaves = Leaves::usual, unsigned other_roots = 0);

}  // namespace tlsrig::credentials
