// Applying a configuration to an SSL_CTX. A field that is 0 touches nothing: the library is then as shipped.
#include "ssl_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <tlsrig/sdk/failure.hpp>

#include "ssl_errors.hpp"
#include "ssl_keylog.hpp"
#include "ssl_resumption.hpp"

namespace tlsrig::ssl {

namespace {

constexpr std::uint32_t record_size_least = 512;  // both libraries; BoringSSL would round up in silence

[[noreturn]] void refuse_file(const char* what, const char* path) {
  const auto code = ERR_peek_error();
  const std::string reason = take_words();
  const bool readable = access(path, R_OK) == 0;
  throw sdk::Failure(
      TLSRIG_ERROR_CONFIG,
      std::string(what) + " " + path +
          (readable ? " is not the PEM file that was expected: " + reason : std::string(": ") + std::strerror(errno)),
      code);
}

// A security level of the library, compiled in or configured, refuses keys and digests in files that are as they should
// be. BoringSSL has no levels.
void refuse_if_weak([[maybe_unused]] SSL_CTX* context, [[maybe_unused]] const char* path) {
#ifdef SSL_R_EE_KEY_TOO_SMALL
  const auto code = ERR_peek_error();
  const int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  if (reason != SSL_R_EE_KEY_TOO_SMALL && reason != SSL_R_CA_KEY_TOO_SMALL && reason != SSL_R_CA_MD_TOO_WEAK) return;
  std::string size;
  if (std::FILE* file = std::fopen(path, "re")) {
    if (X509* certificate = PEM_read_X509(file, nullptr, nullptr, nullptr)) {
      size = ", its key has " + std::to_string(EVP_PKEY_bits(X509_get0_pubkey(certificate))) + " bits";
      X509_free(certificate);
    }
    std::fclose(file);
  }
  throw sdk::Failure(TLSRIG_ERROR_CONFIG,
                     std::string("certificate chain ") + path + " is too weak for security level " +
                         std::to_string(SSL_CTX_get_security_level(context)) + " of the library" + size + ": " +
                         take_words(),
                     static_cast<std::int64_t>(code));
#endif
}

// The libraries' own callback asks at the terminal, where a run would hang.
int refuse_passphrase(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

void load_private_key(SSL_CTX* context, const char* path, const char* certificate_chain) {
  bool encrypted = false;
  SSL_CTX_set_default_passwd_cb(context, refuse_passphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context, &encrypted);
  const int loaded = SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM);
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  SSL_CTX_set_default_passwd_cb(context, nullptr);
  if (encrypted) {
    ERR_clear_error();
    throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("private key ") + path +
                                                " is encrypted and nobody is asked for a passphrase: give the key "
                                                "without one (openssl pkey -in FILE -out FILE)");
  }
  const bool mismatch = ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_X509;
  if (!loaded && !mismatch) refuse_file("private key", path);
  if (!loaded || !SSL_CTX_check_private_key(context))
    throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("private key ") + path + " is not that of the certificate in " +
                                                certificate_chain + ": " + take_words());
}

void load_credentials(SSL_CTX* context, const tlsrig_config& config) {
  if (!config.certificate_chain != !config.private_key)
    throw sdk::Failure(TLSRIG_ERROR_CONFIG,
                       config.private_key ? "private_key is given without certificate_chain: give both or neither"
                                          : "certificate_chain is given without private_key: give both or neither");
  if (config.certificate_chain) {
    if (!SSL_CTX_use_certificate_chain_file(context, config.certificate_chain)) {
      refuse_if_weak(context, config.certificate_chain);
      refuse_file("certificate chain", config.certificate_chain);
    }
    load_private_key(context, config.private_key, config.certificate_chain);
  }
  if (config.trust_anchors && !SSL_CTX_load_verify_locations(context, config.trust_anchors, nullptr))
    refuse_file("trust anchors", config.trust_anchors);
}

void apply_verification(SSL_CTX* context, const tlsrig_config& config) {
  if (config.verify_peer == TLSRIG_NONE) SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  if (config.verify_peer != TLSRIG_ON) return;
  if (!config.trust_anchors) require(SSL_CTX_set_default_verify_paths(context), "the default trust anchors");
  int mode = SSL_VERIFY_PEER;
  if (config.role == TLSRIG_SERVER) {
    mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    static constexpr unsigned char id[] = "tlsrig";  // without one, sessions of verified clients are not resumed
    require(SSL_CTX_set_session_id_context(context, id, sizeof id - 1), "the session id context");
  }
  SSL_CTX_set_verify(context, mode, nullptr);
}

void apply_protocols(SSL_CTX* context, std::uint32_t protocols) {
  if (!protocols) return;
  const std::uint16_t least = protocols & TLSRIG_TLS_1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
  const std::uint16_t most = protocols & TLSRIG_TLS_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  require(SSL_CTX_set_min_proto_version(context, least) && SSL_CTX_set_max_proto_version(context, most),
          "the protocol versions");
}

// Tickets and the cache by session id. A client keeps nothing in its context: the caller has its tickets.
void apply_resumption(SSL_CTX* context, const tlsrig_config& config) {
  if (config.tickets == TLSRIG_NONE) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);  // TLS 1.2: by either side
  if (config.role != TLSRIG_SERVER) return report_tickets(context);
  if (config.session_cache == TLSRIG_NONE) SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (config.session_cache && config.session_cache != TLSRIG_NONE) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
    SSL_CTX_sess_set_cache_size(context, config.session_cache);
  }
  if (config.tickets)
    require(SSL_CTX_set_num_tickets(context, config.tickets == TLSRIG_NONE ? 0 : config.tickets), "the tickets");
}

void apply_record_size(SSL_CTX* context, const char* backend, std::uint32_t size) {
  if (size == 0 || size == TLSRIG_NONE) return;
  if (size < record_size_least || size > TLSRIG_WRITE_MAX)
    throw sdk::Unsupported(std::string(backend) + " sends records of 512 to 16384 bytes at most; record_size_max is " +
                           std::to_string(size));
  require(SSL_CTX_set_max_send_fragment(context, size), "record_size_max");
}

}  // namespace

void require(long answer, const char* what) {
  if (!answer) throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("cannot set ") + what + ": " + take_words());
}

OwnedContext new_context() {
  OwnedContext context(SSL_CTX_new(TLS_method()));
  if (!context) throw sdk::Failure(TLSRIG_ERROR_OTHER, "SSL_CTX_new: " + take_words());
  return context;
}

SslContext::SslContext(const Catalogue& catalogue, const tlsrig_config& config)
    : context_(new_context()),
      selection_(catalogue.select(config)),
      server_(config.role == TLSRIG_SERVER),
      checks_peer_(config.verify_peer == TLSRIG_ON),
      keeps_tickets_(!server_ && (config.tickets != TLSRIG_NONE || config.session_cache != TLSRIG_NONE)) {
  SSL_CTX_set_mode(get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);  // law 3
  apply_protocols(get(), selection_.protocols);
  const std::string groups = catalogue.group_list(config);
  if (!groups.empty()) require(SSL_CTX_set1_curves_list(get(), groups.c_str()), "the groups");
  load_credentials(get(), config);
  apply_verification(get(), config);
  apply_resumption(get(), config);
  apply_record_size(get(), catalogue.backend(), config.record_size_max);
}

void SslContext::start_keylog(int fd) {
  keylog_fd_ = fd;
  ssl::start_keylog(get(), &keylog_fd_);
}

}  // namespace tlsrig::ssl
