// openssl: OpenSSL 3 as a backend. What it shares with BoringSSL is in plugins/common; here is what only OpenSSL does.
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/ssl_pair/ssl_extensions.hpp>
#include <tlsrig/ssl_pair/ssl_library.hpp>
#include <tlsrig/ssl_pair/ssl_session.hpp>

namespace {

namespace ssl = tlsrig::ssl;

struct StackDeleter {
  void operator()(STACK_OF(SSL_CIPHER) * stack) const noexcept { sk_SSL_CIPHER_free(stack); }
};

// Every suite that a client would offer when asked for all: the list is cut to the security level that was compiled in.
std::vector<const SSL_CIPHER*> list_suites(SSL_CTX* scratch) {
  ssl::require(SSL_CTX_set_cipher_list(scratch, "ALL:COMPLEMENTOFALL"), "the list of all TLS 1.2 suites");
  ssl::require(SSL_CTX_set_ciphersuites(scratch,
                                        "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:"
                                        "TLS_AES_128_CCM_SHA256:TLS_AES_128_CCM_8_SHA256"),
               "the list of all TLS 1.3 suites");
  const std::unique_ptr<SSL, ssl::SessionDeleter> session(SSL_new(scratch));
  ssl::require(session != nullptr, "a session to list suites");
  const std::unique_ptr<STACK_OF(SSL_CIPHER), StackDeleter> stack(SSL_get1_supported_ciphers(session.get()));
  std::vector<const SSL_CIPHER*> suites;
  for (int i = 0; i < sk_SSL_CIPHER_num(stack.get()); ++i) suites.push_back(sk_SSL_CIPHER_value(stack.get(), i));
  return suites;
}

// The CPU features that OpenSSL found, or was told by the environment, decide which AES runs.
const char* hardware_aes(const char* cpu_information) {
  const char* word = std::strstr(cpu_information, "OPENSSL_ia32cap=");
  if (!word) return "unknown";
  constexpr int aes_ni = 32 + 25;  // CPUID leaf 1: ECX, bit 25
  return std::strtoull(std::strchr(word, '=') + 1, nullptr, 16) >> aes_ni & 1 ? "yes" : "no";
}

std::string describe_build() {
  std::string build =
      std::string("hardware AES: ") + hardware_aes(OpenSSL_version(OPENSSL_CPU_INFO)) + "; OPENSSL_CONF is ignored";
  if (std::strcmp(OPENSSL_VERSION_TEXT, OpenSSL_version(OPENSSL_VERSION)) != 0)
    build += "; headers: " OPENSSL_VERSION_TEXT;
  for (const int part : {OPENSSL_CFLAGS, OPENSSL_PLATFORM, OPENSSL_BUILT_ON, OPENSSL_CPU_INFO})
    build += std::string("; ") + OpenSSL_version(part);
  return build;
}

// A configuration file named by OPENSSL_CONF may cut protocols and suites, so that two machines would measure two
// libraries under one name: it is not read.
const ssl::Library& library() {
  static const ssl::Library found = [] {
    const char* version = ssl::require_library("OpenSSL");
    ssl::require(OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr), "OpenSSL up");
    return ssl::Library("openssl", version, describe_build(), list_suites, true);
  }();
  return found;
}

class Context : public ssl::SslContext {
 public:
  static const tlsrig_info& start() { return library().info(); }
  static const void* extension(const char* name) noexcept;

  explicit Context(const tlsrig_config& config) : SslContext(library().catalogue(), config) {
    const std::string &suites_1_2 = selection().suites_1_2, &suites_1_3 = selection().suites_1_3;
    if (!suites_1_2.empty()) ssl::require(SSL_CTX_set_cipher_list(get(), suites_1_2.c_str()), "the TLS 1.2 ciphers");
    if (!suites_1_3.empty()) ssl::require(SSL_CTX_set_ciphersuites(get(), suites_1_3.c_str()), "the TLS 1.3 ciphers");
    // Where it is left on it cannot be told whether it was negotiated, and not every library has it.
    if (config.ciphers) SSL_CTX_set_options(get(), SSL_OP_NO_ENCRYPT_THEN_MAC);
    if (config.release_buffers == TLSRIG_ON) SSL_CTX_set_mode(get(), SSL_MODE_RELEASE_BUFFERS);
    if (config.release_buffers == TLSRIG_NONE) SSL_CTX_clear_mode(get(), SSL_MODE_RELEASE_BUFFERS);
    if (config.read_ahead) SSL_CTX_set_read_ahead(get(), config.read_ahead == TLSRIG_ON);
    ERR_clear_error();  // of this thread, whose sessions would take it for theirs
  }
};

// The scheme of the peer's handshake signature (IANA TLS SignatureScheme), which OpenSSL tells as two numbers.
const char* signature_name(int type, int digest, const X509* certificate) {
  struct Scheme {
    int type, digest;
    const char* name;
  };
  static constexpr Scheme schemes[] = {{EVP_PKEY_EC, NID_sha256, "ecdsa_secp256r1_sha256"},
                                       {EVP_PKEY_EC, NID_sha384, "ecdsa_secp384r1_sha384"},
                                       {EVP_PKEY_EC, NID_sha512, "ecdsa_secp521r1_sha512"},
                                       {EVP_PKEY_RSA, NID_sha256, "rsa_pkcs1_sha256"},
                                       {EVP_PKEY_RSA, NID_sha384, "rsa_pkcs1_sha384"},
                                       {EVP_PKEY_RSA, NID_sha512, "rsa_pkcs1_sha512"},
                                       {EVP_PKEY_RSA_PSS, NID_sha256, "rsa_pss_rsae_sha256"},
                                       {EVP_PKEY_RSA_PSS, NID_sha384, "rsa_pss_rsae_sha384"},
                                       {EVP_PKEY_RSA_PSS, NID_sha512, "rsa_pss_rsae_sha512"},
                                       {EVP_PKEY_ED25519, NID_undef, "ed25519"},
                                       {EVP_PKEY_ED448, NID_undef, "ed448"}};
  // rsa_pss_pss_* has the same two numbers and needs a key that is for PSS alone.
  if (certificate && EVP_PKEY_get_base_id(X509_get0_pubkey(certificate)) == EVP_PKEY_RSA_PSS) return nullptr;
  for (const Scheme& scheme : schemes)
    if (scheme.type == type && (scheme.digest == digest || scheme.digest == NID_undef)) return scheme.name;
  return nullptr;
}

// A HelloRetryRequest is a ServerHello with this random, the SHA-256 of its name (RFC 8446, 4.1.3). OpenSSL does not
// tell that there was one, but shows each message as it passes.
void watch_for_hello_retry(int, int, int content_type, const void* data, std::size_t size, SSL*, void* seen) {
  static constexpr unsigned char random[] = {0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C,
                                             0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB,
                                             0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C};
  constexpr std::size_t random_at = 6;
  const auto* message = static_cast<const unsigned char*>(data);
  if (content_type == SSL3_RT_HANDSHAKE && size >= random_at + sizeof random && message[0] == SSL3_MT_SERVER_HELLO &&
      std::memcmp(message + random_at, random, sizeof random) == 0)
    *static_cast<bool*>(seen) = true;
}

class Session : public ssl::SslSession {
 public:
  // More: a ticket to offer.
  template <class... More>
  explicit Session(const Context& context, const tlsrig_transport& transport, const char* server_name, More&&... more)
      : SslSession(context, transport, server_name, std::forward<More>(more)...) {
    SSL_set_msg_callback(ssl(), watch_for_hello_retry);
    SSL_set_msg_callback_arg(ssl(), &hello_retry_);
  }

  // OpenSSL drops a session from its cache, and makes it unusable for resumption, when its SSL is freed without
  // close_notify. The runner may close without one, as real clients do.
  ~Session() {
    if (!dead()) SSL_set_shutdown(ssl(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }

  tlsrig_result handshake() noexcept {
    const tlsrig_result result = SslSession::handshake();
    if (result == TLSRIG_OK) SSL_set_msg_callback(ssl(), nullptr);  // data goes by unwatched
    return result;
  }

  void describe(tlsrig_facts& facts) noexcept {
    describe_common(facts);
    facts.hello_retry = ssl::yes_or_no(hello_retry_);
    const bool without =
        SSL_CIPHER_is_aead(SSL_get_current_cipher(ssl())) || (SSL_get_options(ssl()) & SSL_OP_NO_ENCRYPT_THEN_MAC);
    facts.encrypt_then_mac = without ? TLSRIG_NO : TLSRIG_UNKNOWN;
    facts.group = SSL_group_to_name(ssl(), static_cast<int>(SSL_get_negotiated_group(ssl())));
    int type = 0, digest = 0;
    if (SSL_get_peer_signature_type_nid(ssl(), &type) && SSL_get_peer_signature_nid(ssl(), &digest))
      facts.signature = signature_name(type, digest, SSL_get0_peer_certificate(ssl()));
    forget_full_handshake(facts);
  }

 private:
  bool hello_retry_ = false;
};

const void* Context::extension(const char* name) noexcept { return ssl::extension<Context, Session>(name); }

}  // namespace

TLSRIG_BACKEND(Context, Session)
