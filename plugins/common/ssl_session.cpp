// Setting a session up, and the facts that both libraries tell alike.
#include "ssl_session.hpp"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <cstring>
#include <string>

#include <tlsrig/sdk/failure.hpp>

#include "wire_bio.h"

namespace tlsrig::ssl {

namespace {

// Called by the library for each step of a handshake and for each alert, never for data.
void note_sent_alert(const SSL* ssl, int what, int value) {
  constexpr int fatal = 2;  // RFC 8446, 6; value is level and description, 8 bits each
  if (what == SSL_CB_WRITE_ALERT && value >> 8 == fatal) *static_cast<int*>(SSL_get_app_data(ssl)) = value & 0xff;
}

bool is_address(const char* name) {
  unsigned char parsed[sizeof(in6_addr)];
  return inet_pton(AF_INET, name, parsed) == 1 || inet_pton(AF_INET6, name, parsed) == 1;
}

// Host names are sent (RFC 6066, 3: addresses are not) and both are checked where the peer is. False: refused.
bool set_server_name(SSL* ssl, const char* name, bool check) {
  X509_VERIFY_PARAM* parameters = SSL_get0_param(ssl);
  if (is_address(name)) return !check || X509_VERIFY_PARAM_set1_ip_asc(parameters, name);
  return SSL_set_tlsext_host_name(ssl, name) &&
         (!check || X509_VERIFY_PARAM_set1_host(parameters, name, std::strlen(name)));
}

// Asked, a certificate is there, and it was found good: the verify result alone is "ok" also when nothing was verified.
bool peer_verified(const SSL* ssl) {
  if (!(SSL_get_verify_mode(ssl) & SSL_VERIFY_PEER)) return false;
  X509* certificate = SSL_get_peer_certificate(ssl);
  X509_free(certificate);
  return certificate && SSL_get_verify_result(ssl) == X509_V_OK;
}

}  // namespace

SslSession::SslSession(const SslContext& context, const tlsrig_transport& transport, const char* server_name,
                       tlsrig_error& error)
    : error_(error), ssl_(SSL_new(context.get())) {
  if (!ssl_) throw sdk::Failure(TLSRIG_ERROR_OTHER, "SSL_new: " + take_words());
  if (transport.kind == TLSRIG_WIRE) {
    BIO* bio = new_wire_bio(*transport.wire);
    SSL_set_bio(ssl_.get(), bio, bio);
  } else {
    require(SSL_set_fd(ssl_.get(), transport.fd), "the fd");
  }
  require(SSL_set_app_data(ssl_.get(), &sent_alert_), "the session's own data");
  SSL_set_info_callback(ssl_.get(), note_sent_alert);
  if (context.server())
    SSL_set_accept_state(ssl_.get());
  else
    SSL_set_connect_state(ssl_.get());
  if (server_name && !context.server() && !set_server_name(ssl_.get(), server_name, context.checks_peer()))
    require(0, (std::string("the server name ") + server_name).c_str());
}

void SslSession::describe_common(tlsrig_facts& facts) const noexcept {
  const int version = SSL_version(ssl());
  facts.protocol = version == TLS1_3_VERSION ? TLSRIG_TLS_1_3 : version == TLS1_2_VERSION ? TLSRIG_TLS_1_2 : 0;
  facts.resumed = yes_or_no(SSL_session_reused(ssl()));
  facts.peer_verified = yes_or_no(peer_verified(ssl()));
  facts.cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl()));
}

}  // namespace tlsrig::ssl
