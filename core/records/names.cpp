// Tables of the IANA registries "TLS Cipher Suites", "TLS Supported Groups" and "TLS SignatureScheme": what a library
// of today may negotiate.
#include <tlsrig/records/names.hpp>

#include <cstddef>

namespace tlsrig::records {

namespace {

struct Name {
  std::uint16_t number;
  const char* text;
};

constexpr Name versions[] = {{0x0300, "SSL 3.0"}, {0x0301, "1.0"}, {0x0302, "1.1"}, {0x0303, "1.2"}, {0x0304, "1.3"}};

constexpr Name ciphers[] = {
    {0x1301, "TLS_AES_128_GCM_SHA256"},
    {0x1302, "TLS_AES_256_GCM_SHA384"},
    {0x1303, "TLS_CHACHA20_POLY1305_SHA256"},
    {0x1304, "TLS_AES_128_CCM_SHA256"},
    {0x1305, "TLS_AES_128_CCM_8_SHA256"},
    {0x000A, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"},
    {0x002F, "TLS_RSA_WITH_AES_128_CBC_SHA"},
    {0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"},
    {0x003C, "TLS_RSA_WITH_AES_128_CBC_SHA256"},
    {0x003D, "TLS_RSA_WITH_AES_256_CBC_SHA256"},
    {0x009C, "TLS_RSA_WITH_AES_128_GCM_SHA256"},
    {0x009D, "TLS_RSA_WITH_AES_256_GCM_SHA384"},
    {0xC09C, "TLS_RSA_WITH_AES_128_CCM"},
    {0xC09D, "TLS_RSA_WITH_AES_256_CCM"},
    {0xC0A0, "TLS_RSA_WITH_AES_128_CCM_8"},
    {0xC0A1, "TLS_RSA_WITH_AES_256_CCM_8"},
    {0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"},
    {0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"},
    {0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256"},
    {0x006B, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"},
    {0x009E, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"},
    {0x009F, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"},
    {0xCCAA, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},
    {0xC009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"},
    {0xC00A, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"},
    {0xC023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"},
    {0xC024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"},
    {0xC02B, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
    {0xC02C, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
    {0xC0AC, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM"},
    {0xC0AD, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM"},
    {0xC0AE, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8"},
    {0xC0AF, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8"},
    {0xCCA9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"},
    {0xC013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"},
    {0xC014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"},
    {0xC027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"},
    {0xC028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"},
    {0xC02F, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
    {0xC030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
    {0xCCA8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},
};

constexpr Name groups[] = {
    {0x0017, "secp256r1"},
    {0x0018, "secp384r1"},
    {0x0019, "secp521r1"},
    {0x001A, "brainpoolP256r1"},
    {0x001B, "brainpoolP384r1"},
    {0x001C, "brainpoolP512r1"},
    {0x001D, "x25519"},
    {0x001E, "x448"},
    {0x001F, "brainpoolP256r1tls13"},
    {0x0020, "brainpoolP384r1tls13"},
    {0x0021, "brainpoolP512r1tls13"},
    {0x0100, "ffdhe2048"},
    {0x0101, "ffdhe3072"},
    {0x0102, "ffdhe4096"},
    {0x0103, "ffdhe6144"},
    {0x0104, "ffdhe8192"},
    {0x0200, "MLKEM512"},
    {0x0201, "MLKEM768"},
    {0x0202, "MLKEM1024"},
    {0x11EB, "SecP256r1MLKEM768"},
    {0x11EC, "X25519MLKEM768"},
    {0x11ED, "SecP384r1MLKEM1024"},
    {0x6399, "X25519Kyber768Draft00"},
};

constexpr Name signatures[] = {
    {0x0201, "rsa_pkcs1_sha1"},
    {0x0203, "ecdsa_sha1"},
    {0x0401, "rsa_pkcs1_sha256"},
    {0x0403, "ecdsa_secp256r1_sha256"},
    {0x0501, "rsa_pkcs1_sha384"},
    {0x0503, "ecdsa_secp384r1_sha384"},
    {0x0601, "rsa_pkcs1_sha512"},
    {0x0603, "ecdsa_secp521r1_sha512"},
    {0x0804, "rsa_pss_rsae_sha256"},
    {0x0805, "rsa_pss_rsae_sha384"},
    {0x0806, "rsa_pss_rsae_sha512"},
    {0x0807, "ed25519"},
    {0x0808, "ed448"},
    {0x0809, "rsa_pss_pss_sha256"},
    {0x080A, "rsa_pss_pss_sha384"},
    {0x080B, "rsa_pss_pss_sha512"},
};

template <std::size_t size>
std::string name_in(const Name (&names)[size], std::uint16_t number) {
  for (const Name& name : names)
    if (name.number == number) return name.text;
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[number >> shift & 15];
  return text;
}

}  // namespace

std::string version_name(std::uint16_t version) { return name_in(versions, version); }
std::string cipher_name(std::uint16_t cipher) { return name_in(ciphers, cipher); }
std::string group_name(std::uint16_t group) { return name_in(groups, group); }
std::string signature_name(std::uint16_t scheme) { return name_in(signatures, scheme); }

}  // namespace tlsrig::records
