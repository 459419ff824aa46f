// The TLS cipher suites that a scenario may name, by their IANA names.
#pragma once

#include <string_view>

namespace tlsrig::scenario {

enum class KeyKind { any, ecdsa, rsa };  // of the server's certificate

struct Suite {
  std::string_view name;
  std::string_view version;  // as tls.version says it
  KeyKind key;               // any: the suite does not say, as in TLS 1.3
  bool has_group = true;     // false: the secret goes encrypted with the server's RSA key (RFC 5246, 7.4.7.1)
};

inline constexpr Suite suites[] = {
    // Of each version and key AES-128-GCM comes first: it is the default.
    {"TLS_AES_128_GCM_SHA256", "1.3", KeyKind::any},
    {"TLS_AES_256_GCM_SHA384", "1.3", KeyKind::any},
    {"TLS_CHACHA20_POLY1305_SHA256", "1.3", KeyKind::any},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "1.2", KeyKind::rsa},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "1.2", KeyKind::rsa},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "1.2", KeyKind::rsa},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "1.2", KeyKind::ecdsa},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "1.2", KeyKind::rsa},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "1.2", KeyKind::rsa},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "1.2", KeyKind::rsa},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "1.2", KeyKind::rsa, false},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "1.2", KeyKind::rsa, false},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "1.2", KeyKind::rsa, false},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "1.2", KeyKind::rsa, false},
};

const Suite* find_suite(std::string_view name);

// Whether the key exchange of a suite has a group; true for a name that is not known.
bool has_group(std::string_view suite);

// Of a value of tls.certificate; any for other names.
KeyKind key_kind(std::string_view certificate);

// The AES-128-GCM suite of a version for a certificate with such a key; empty for 1.2 with KeyKind::any.
std::string_view default_suite(std::string_view version, KeyKind key);

}  // namespace tlsrig::scenario
