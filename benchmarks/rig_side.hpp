// What both of the rig's contestants are made from.
#pragma once

#include <string>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/workloads/participant.hpp>

#include "contestant.hpp"

namespace tlsrig::benchmarks {

inline host::Backend load(const std::string& backend) {
  return host::Backend::load(std::string(PLUGINS "/") + backend + ".so");
}

// TLS 1.3, AES-128-GCM, x25519, ECDSA, nothing verified: what the loops by hand do.
inline workloads::Assignment assignment(const Task& task, const std::string& role) {
  const auto made = credentials::ensure("ecdsa-p256");
  workloads::Assignment assignment;
  assignment.role = role;
  assignment.certificates = {made.server_chain, made.server_key, made.client_chain,
                             made.client_key,   made.trust,      credentials::server_name};
  assignment.placement_seed = task.placement_seed;
  scenario::Settings& settings = assignment.settings;
  settings.tls.cipher = "TLS_AES_128_GCM_SHA256";
  settings.tls.verify = scenario::Verify::none;
  settings.traffic.connections = task.connections;
  settings.traffic.message_size = settings.traffic.reply_size = task.size;
  if (task.size) settings.engine.message_size = task.size;
  return assignment;
}

inline double per_second(const workloads::SliceCount& count) {
  return static_cast<double>(count.operations) / count.seconds;
}

}  // namespace tlsrig::benchmarks
