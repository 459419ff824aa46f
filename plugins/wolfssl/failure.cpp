// Why a session of wolfSSL ended: its codes and its record of alerts, in the contract's terms.
#include "failure.hpp"

#include <wolfssl/error-ssl.h>

#include <cerrno>
#include <cstdio>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::wolfssl {
namespace {

// The library has some forty codes for a bad certificate; the alert it sent tells them from all others. Only a TLS 1.2
// server that gets no certificate sends none.
bool about_certificate(int alert, int code) noexcept {
  constexpr int bad_certificate = 42, certificate_unknown = 46, unknown_ca = 48, certificate_required = 116;
  return (alert >= bad_certificate && alert <= certificate_unknown) || alert == unknown_ca ||
         alert == certificate_required || code == NO_PEER_CERT || code == DOMAIN_NAME_MISMATCH ||
         code == IPADDR_MISMATCH;
}

}  // namespace

tlsrig_result explain(WOLFSSL* session, int code, int system_error, tlsrig_error& error) noexcept {
  WOLFSSL_ALERT_HISTORY alerts{{-1, -1}, {-1, -1}};
  wolfSSL_get_alert_history(session, &alerts);
  const int sent = alerts.last_tx.code, received = alerts.last_rx.code;
  const char* words = wolfSSL_ERR_reason_error_string(static_cast<unsigned long>(code));
  const char* name = wolfSSL_alert_desc_string_long(received);
  char text[sizeof error.text];
  switch (code) {
    case HANDSHAKE_SIZE_ERROR:
      std::snprintf(text, sizeof text, "%s: wolfssl takes chains of at most 9 certificates and about 18 KiB", words);
      sdk::set_error(error, TLSRIG_ERROR_CONFIG, code, sent, text);
      return TLSRIG_UNSUPPORTED;
    case FATAL_ERROR:
      std::snprintf(text, sizeof text, "%s: alert %d, %s", words, received, name ? name : "unknown to this version");
      sdk::set_error(error, TLSRIG_ERROR_ALERT, code, received, text);
      break;
    case WOLFSSL_ERROR_ZERO_RETURN:
      sdk::set_error(error, TLSRIG_ERROR_ALERT, code, received, "the peer sent close_notify during the handshake");
      break;
    case SOCKET_ERROR_E:
    case SOCKET_PEER_CLOSED_E:
      if (system_error && system_error != EAGAIN)
        sdk::set_system_error(error, system_error);
      else
        sdk::set_error(error, TLSRIG_ERROR_TRUNCATED, code, -1, words);
      break;
    case NO_PRIVATE_KEY:
      sdk::set_error(error, TLSRIG_ERROR_CONFIG, code, sent, words);
      break;
    default:
      sdk::set_error(error, about_certificate(sent, code) ? TLSRIG_ERROR_CERTIFICATE : TLSRIG_ERROR_PROTOCOL, code,
                     sent, words);
  }
  return TLSRIG_ERROR;
}

}  // namespace tlsrig::wolfssl
