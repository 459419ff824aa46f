// What the contexts of a step are made from.
#pragma once

#include <string>
#include <string_view>

#include <tlsrig/check/step.hpp>
#include <tlsrig/host/context.hpp>

namespace tlsrig::check {

// The options of both sides, and the name that the client asks for and checks.
struct Settings {
  host::ContextOptions client, server;
  std::string server_name = credentials::server_name;
};

struct Contexts {
  Contexts(const host::Backend& client_backend, const host::Backend& server_backend, const Settings& settings)
      : client(client_backend, settings.client), server(server_backend, settings.server) {}
  host::Context client, server;
};

// Roles alone: the library's defaults, without certificates.
Settings bare(std::uint32_t protocol);

// The library's defaults, with certificate, key and trust: the server is verified. A plain backend gets roles alone.
Settings as_shipped(std::uint32_t protocol, const credentials::Credentials& credentials);

// One protocol, cipher and group, no tickets, no cache. In TLS 1.2 the list of groups limits the curve of an ECDSA
// certificate too (RFC 8422, 5.1), so that curve follows the asked group; what is negotiated must be the asked one.
Settings pinned(std::uint32_t protocol, const std::string& cipher, const std::string& group,
                const credentials::Credentials& credentials);

// Whether the key exchange of a cipher has a group; static RSA has none.
bool uses_group(std::string_view cipher);

// What a step uses when it is not about algorithms: AES-128-GCM, x25519, ECDSA.
Settings usual(const Setup& setup);

}  // namespace tlsrig::check
