// The mapping from error queue entries to kinds and words.
#include "ssl_errors.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::ssl {

namespace {

using ErrorCode = decltype(ERR_peek_error());

// The oldest entry of the TLS layer, which knows what the peer did; without one, the oldest at all.
ErrorCode take_cause() noexcept {
  ErrorCode oldest = 0, cause = 0;
  while (const ErrorCode code = ERR_get_error()) {
    if (!oldest) oldest = code;
    if (!cause && ERR_GET_LIB(code) == ERR_LIB_SSL) cause = code;
  }
  return cause ? cause : oldest;
}

#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
constexpr int unexpected_eof = SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
constexpr int unexpected_eof = -1;  // BoringSSL says it with SSL_ERROR_SYSCALL, no queue entry and no errno
#endif

bool says_truncated(ErrorCode code) noexcept {
  return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == unexpected_eof;
}

void report_tls(SSL* ssl, ErrorCode code, int sent_alert, tlsrig_error& error) noexcept {
  const int reason = ERR_GET_REASON(code);
  const char* words = ERR_reason_error_string(code);
  if (reason >= SSL_AD_REASON_OFFSET)
    return sdk::set_error(error, TLSRIG_ERROR_ALERT, code, reason - SSL_AD_REASON_OFFSET, words);
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    const long verdict = SSL_get_verify_result(ssl);
    return sdk::set_error(error, TLSRIG_ERROR_CERTIFICATE, verdict, sent_alert, X509_verify_cert_error_string(verdict));
  }
  const bool missing = reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE;
  sdk::set_error(error, missing ? TLSRIG_ERROR_CERTIFICATE : TLSRIG_ERROR_PROTOCOL, code, sent_alert, words);
}

}  // namespace

std::string take_words() {
  const ErrorCode code = ERR_get_error();
  ERR_clear_error();
  if (!code) return "no reason given";
  if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
    tlsrig_error error;
    sdk::set_system_error(error, ERR_GET_REASON(code));
    return error.text;
  }
  const char* library = ERR_lib_error_string(code);
  const char* reason = ERR_reason_error_string(code);
  return std::string(library ? library : "unknown library") + ": " +
         (reason ? reason : "reason " + std::to_string(ERR_GET_REASON(code)));
}

void report(SSL* ssl, int why, int system, int sent_alert, tlsrig_error& error) noexcept {
  const ErrorCode code = take_cause();
  if (says_truncated(code) || (code == 0 && system == 0 && why == SSL_ERROR_SYSCALL))
    sdk::set_error(error, TLSRIG_ERROR_TRUNCATED, code ? static_cast<std::int64_t>(code) : why, sent_alert,
                   "the transport ended before the peer's close_notify");
  else if (code && ERR_GET_LIB(code) == ERR_LIB_SSL)
    report_tls(ssl, code, sent_alert, error);
  else if (code && ERR_GET_LIB(code) == ERR_LIB_SYS)
    sdk::set_system_error(error, ERR_GET_REASON(code));
  else if (code)
    sdk::set_error(error, TLSRIG_ERROR_OTHER, code, sent_alert, ERR_reason_error_string(code));
  else if (system)
    sdk::set_system_error(error, system);
  else if (why == SSL_ERROR_ZERO_RETURN)
    sdk::set_error(error, TLSRIG_ERROR_ALERT, why, SSL_AD_CLOSE_NOTIFY, "the peer sent close_notify in the handshake");
  else
    sdk::set_error(error, TLSRIG_ERROR_OTHER, why, sent_alert, "SSL_get_error gave no reason");
}

}  // namespace tlsrig::ssl
