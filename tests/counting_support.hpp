// What the tests of counting share: plugins that may not have been built, and a conversation over flat wires whose
// bytes are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/context.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::tests {

// The backend of this name, loaded once; nullptr when it was not built.
const host::Backend* backend(const std::string& name);

workloads::CertificatePaths certificates(const std::string& kind = "ecdsa-p256");

// An assignment for both sides of a backend: TLS 1.3, AES-128-GCM, x25519, the server verified.
workloads::Assignment assignment_for(const host::Backend& backend, scenario::Workload workload);

// The bytes of each side, in the order in which they were sent.
struct Capture {
  std::vector<std::uint8_t> client, server;
  bool resumed = false;  // as the client's library tells it
};

// A handshake, and a byte of payload each way. With `resume` a second connection, which offers what the first has left;
// it is the one captured. Throws std::runtime_error.
Capture converse(const host::Backend& backend, const host::ContextOptions& client, const host::ContextOptions& server,
                 bool resume = false);

// Runs both roles of echo in two threads: a short warm-up, two slices, the end.
struct EchoRun {
  workloads::Json server_connected, client_connected, server_finished, client_finished;
};
EchoRun run_echo(const workloads::Assignment& assignment);

// The driver that strace looks at, and the comparison. Both give an exit status.
int drive(const std::string& plugin, const std::string& transport, std::uint64_t messages);
int compare_with_strace(const std::string& backend, const std::string& transport);

}  // namespace tlsrig::tests
