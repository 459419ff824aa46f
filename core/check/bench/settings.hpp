// What the contexts of a step are made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

// One protocol, cipher and group (empty: the library's own), no tickets, no cache. In TLS 1.2 the list of groups limits
// the curve of an ECDSA certificate too (RFC 8422, 5.1), so that curve follows the asked group; what is negotiated must
// be the asked one.
Settings pinned(std::uint32_t protocol, const std::string& cipher, const std::string& group,
                const credentials::Credentials& credentials);

// Whether the key exchange of a cipher has a group; static RSA has none.
bool uses_group(std::string_view cipher);

// The curves of ECDHE that a backend lists, the most usual first: they work in TLS 1.2 (RFC 8422) and in TLS 1.3.
std::vector<std::string> curves_of(const host::Backend& backend);

// Each group that a backend lists and that can be asked for together with this cipher. In TLS 1.2 these are the curves
// for ECDHE and the finite fields for DHE (RFC 7919). One empty name, no group to ask for, for static RSA, and for DHE
// where no finite field is listed: there the server takes one of its own.
std::vector<std::string> groups_for(const host::Backend& backend, std::uint32_t protocol, std::string_view cipher);

// What a step uses when it is not about algorithms: AES-128-GCM, x25519, ECDSA.
Settings usual(const Setup& setup);

// Certificates and the seed, without a backend: made before the first step, since they take the `openssl` command.
Setup setup_without_backend(std::uint32_t protocols, std::uint64_t seed);

}  // namespace tlsrig::check
