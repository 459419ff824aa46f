// boringssl: BoringSSL as a backend. What it shares with OpenSSL is in plugins/common; here is what only BoringSSL
// does.
#include <openssl/aead.h>
#include <openssl/base.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/ssl_pair/ssl_extensions.hpp>
#include <tlsrig/ssl_pair/ssl_library.hpp>
#include <tlsrig/ssl_pair/ssl_session.hpp>

namespace {

namespace sdk = tlsrig::sdk;
namespace ssl = tlsrig::ssl;

// The TLS 1.3 suites are in no list: they are asked for by code point (RFC 8446, B.4).
std::vector<const SSL_CIPHER*> list_suites(SSL_CTX* scratch) {
  std::vector<const SSL_CIPHER*> suites;
  for (std::uint16_t code_point = 0x1301; code_point <= 0x1305; ++code_point)
    if (const SSL_CIPHER* suite = SSL_get_cipher_by_value(code_point)) suites.push_back(suite);
  ssl::require(SSL_CTX_set_cipher_list(scratch, "ALL"), "the list of all TLS 1.2 suites");
  const STACK_OF(SSL_CIPHER)* stack = SSL_CTX_get_ciphers(scratch);
  for (std::size_t i = 0; i < sk_SSL_CIPHER_num(stack); ++i) suites.push_back(sk_SSL_CIPHER_value(stack, i));
  return suites;
}

std::string describe_build() {
  return "headers of BORINGSSL_API_VERSION " + std::to_string(BORINGSSL_API_VERSION) +
         ", the library does not tell its flags; hardware AES: " + (EVP_has_aes_hardware() ? "yes" : "no");
}

// BoringSSL has no version numbers: the build id of its file, which the host records, tells builds apart.
const ssl::Library& library() {
  static const ssl::Library found("boringssl", ssl::require_library("BoringSSL"), describe_build(), list_suites, false);
  return found;
}

class Context : public ssl::SslContext {
 public:
  static const tlsrig_info& start() { return library().info(); }
  static const void* extension(const char* name) noexcept;

  // TLS 1.3 suites cannot be chosen: the peer may, and what was negotiated is told. So they are known by name, and
  // asking for one makes a context.
  explicit Context(const tlsrig_config& config) : SslContext(library().catalogue(), config) {
    const std::string& suites = selection().suites_1_2;
    if (!suites.empty()) ssl::require(SSL_CTX_set_strict_cipher_list(get(), suites.c_str()), "the TLS 1.2 ciphers");
    if (config.release_buffers)
      throw sdk::Unsupported("boringssl gives the buffers of every idle session back: release_buffers has no effect");
    if (config.read_ahead == TLSRIG_ON)
      throw sdk::Unsupported("boringssl reads one record at a time: read_ahead has no effect");
    if (config.tickets > tickets_max && config.tickets != TLSRIG_NONE)
      throw sdk::Unsupported("boringssl sends 16 tickets at most; tickets is " + std::to_string(config.tickets));
  }

 private:
  static constexpr std::uint32_t tickets_max = 16;  // more are cut in silence
};

const char* group_name(std::uint16_t code_point) {
  switch (code_point) {
    case SSL_CURVE_X25519:
      return "x25519";
    case SSL_CURVE_SECP256R1:
      return "secp256r1";
    case SSL_CURVE_SECP384R1:
      return "secp384r1";
    case SSL_CURVE_SECP521R1:
      return "secp521r1";
    default:
      return nullptr;
  }
}

class Session : public ssl::SslSession {
 public:
  using SslSession::SslSession;

  // A TLS 1.3 server keeps its tickets until it writes: an empty write sends them, so that nothing stays inside.
  tlsrig_result handshake() noexcept {
    if (!agreed_) {
      if (const tlsrig_result result = SslSession::handshake(); result != TLSRIG_OK) return result;
      agreed_ = true;
    }
    if (!SSL_is_server(ssl()) || SSL_version(ssl()) != TLS1_3_VERSION) return TLSRIG_OK;
    if (dead()) return last_words();
    errno = 0;
    const int result = SSL_write(ssl(), "", 0);
    return result < 0 ? answer_to(result) : TLSRIG_OK;
  }

  void describe(tlsrig_facts& facts) noexcept {
    describe_common(facts);
    facts.hello_retry = ssl::yes_or_no(SSL_used_hello_retry_request(ssl()));
    facts.encrypt_then_mac = TLSRIG_NO;  // BoringSSL does not have it
    facts.group = group_name(SSL_get_curve_id(ssl()));
    if (const std::uint16_t scheme = SSL_get_peer_signature_algorithm(ssl()))
      facts.signature = SSL_get_signature_algorithm_name(scheme, 1);
    forget_full_handshake(facts);
  }

 private:
  bool agreed_ = false;
};

const void* Context::extension(const char* name) noexcept { return ssl::extension<Context, Session>(name); }

}  // namespace

TLSRIG_BACKEND(Context, Session)
