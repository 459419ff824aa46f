// From settings and credentials to the configuration of one side.
#pragma once

#include <cstdint>

#include <tlsrig/host/context.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

// role: TLSRIG_CLIENT or TLSRIG_SERVER. Whether this side verifies its peer.
bool verifies_peer(const scenario::TlsSettings& tls, std::int32_t role);

// The configuration of a side. A plain backend gets its role alone, a library as shipped only what it cannot do
// without: role, certificate, trust, and verification when it is asked.
host::ContextOptions context_options(const Assignment& assignment, std::int32_t role);

// The backend that plays a side. Throws StepError when the assignment has none.
const host::Backend& backend_of(const Assignment& assignment, std::int32_t role);

// A context for a side. Throws what host::Context does.
host::Context make_context(const Assignment& assignment, std::int32_t role);

// What open is given: the name that a verifying client checks, else nullptr.
const char* server_name_for(const Assignment& assignment, std::int32_t role);

// Throws host::Unsupported when the backend of a side cannot talk over TLSRIG_WIRE or TLSRIG_FD.
void require_transport(const host::Backend& backend, std::uint32_t transport);

}  // namespace tlsrig::workloads
