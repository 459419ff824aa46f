// Proof: what was asked against what the handshakes settled. A cell whose proof differs from the request is a failure,
// never a number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/arm_life.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::rig {

// What is asked of the handshakes of one leg.
struct Demand {
  std::string leg;             // "inbound", "outbound"; empty where there is one alone
  std::string client, server;  // its parts, by name
  const scenario::TlsSettings& tls;
  std::uint32_t connections = 0;     // per life
  bool plain = false;                // plain TCP: nothing of TLS is asked
  bool chooses_tls13_cipher = true;  // both sides' backends can pin a TLS 1.3 suite
  bool resumed = false;              // resumed handshakes are asked for; else full ones
};

// Takes the proofs of one life, keyed by part, into the arm's proof and judges them leg by leg. What stands in clear on
// the wire is taken from there, the rest from the libraries; `source` says which. Throws ArmFailure: when a side
// contradicts its wire, the sides each other or an earlier life, when something asked was not negotiated or is told by
// no side, or when connections are missing.
void prove_life(const std::map<std::string, Json>& parts, const std::vector<Demand>& demands, report::Proof& proof);

}  // namespace tlsrig::rig
