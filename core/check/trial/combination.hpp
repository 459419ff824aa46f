// A transport and a protocol version: what the steps are run over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::check {

struct Combination {
  std::uint32_t transport = 0;  // TLSRIG_WIRE, TLSRIG_FD
  std::uint32_t protocol = 0;   // TLSRIG_TLS_1_2, TLSRIG_TLS_1_3; 0 for a plain backend

  std::string transport_word() const { return transport == TLSRIG_WIRE ? "wire" : "fd"; }
  std::string version_word() const {
    return protocol == TLSRIG_TLS_1_2 ? "1.2" : protocol == TLSRIG_TLS_1_3 ? "1.3" : "none";
  }
};

// Those of bits of both kinds (tlsrig_info).
inline std::vector<Combination> combinations(std::uint32_t transports, std::uint32_t protocols) {
  std::vector<Combination> all;
  for (const std::uint32_t transport : {TLSRIG_WIRE, TLSRIG_FD})
    for (const std::uint32_t protocol : {std::uint32_t{0}, TLSRIG_TLS_1_2, TLSRIG_TLS_1_3})
      if ((transports & transport) && (protocol == 0 ? protocols == 0 : (protocols & protocol) != 0))
        all.push_back({transport, protocol});
  return all;
}

}  // namespace tlsrig::check
