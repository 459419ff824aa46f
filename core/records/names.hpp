// IANA names of the numbers in a handshake, in the spelling that scenarios and backends use. A number without a name
// here is told as it is, "0x13FF".
#pragma once

#include <cstdint>
#include <string>

namespace tlsrig::records {

std::string version_name(std::uint16_t version);   // "1.3"
std::string cipher_name(std::uint16_t cipher);     // "TLS_AES_128_GCM_SHA256"
std::string group_name(std::uint16_t group);       // "x25519"
std::string signature_name(std::uint16_t scheme);  // "ecdsa_secp256r1_sha256"

}  // namespace tlsrig::records
