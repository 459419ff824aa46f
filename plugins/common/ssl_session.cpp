// Setting a session up, and the facts that both libraries tell alike.
#include "ssl_session.hpp"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::ssl {

namespace {

// Called by the library for each step of a handshake and for each alert, never for data.
void note_event(const SSL* ssl, int what, int value) {
  constexpr int fatal = 2;  // RFC 8446, 6; value is level and description, 8 bits each
  auto& notes = *static_cast<Notes*>(SSL_get_app_data(ssl));
  notes.handshake_message = true;
  if (what == SSL_CB_WRITE_ALERT && value >> 8 == fatal) notes.sent_alert = value & 0xff;
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
    : error_(error), keeps_tickets_(context.keeps_tickets()), end_(transport.wire), ssl_(SSL_new(context.get())) {
  if (!ssl_) throw sdk::Failure(TLSRIG_ERROR_OTHER, "SSL_new: " + take_words());
  if (transport.kind == TLSRIG_WIRE) {
    BIO* bio = new_wire_bio(end_);
    SSL_set_bio(ssl_.get(), bio, bio);
  } else {
    require(SSL_set_fd(ssl_.get(), transport.fd), "the fd");
  }
  require(SSL_set_app_data(ssl_.get(), &notes_), "the session's own data");
  SSL_set_info_callback(ssl_.get(), note_event);
  if (context.server())
    SSL_set_accept_state(ssl_.get());
  else
    SSL_set_connect_state(ssl_.get());
  if (server_name && !context.server() && !set_server_name(ssl_.get(), server_name, context.checks_peer()))
    require(0, (std::string("the server name ") + server_name).c_str());
  ERR_clear_error();
}

SslSession::SslSession(const SslContext& context, const tlsrig_transport& transport, const char* server_name,
                       std::unique_ptr<Ticket> ticket, tlsrig_error& error)
    : SslSession(context, transport, server_name, error) {
  if (context.server()) throw sdk::Failure(TLSRIG_ERROR_CONFIG, "a server offers no ticket: needed is a client's");
  offered_ = std::move(ticket->session);
  require(SSL_set_session(ssl(), offered_.get()), "the ticket to offer");
  ERR_clear_error();
}

// In TLS 1.2 the session stays usable: every call gives it again.
std::unique_ptr<Ticket> SslSession::take() {
  if (!keeps_tickets_) return nullptr;
  OwnedTicket session =
      SSL_version(ssl()) == TLS1_3_VERSION ? std::move(notes_.newest) : OwnedTicket(SSL_get1_session(ssl()));
  if (!session || !SSL_SESSION_is_resumable(session.get())) return nullptr;
  auto ticket = std::make_unique<Ticket>();
  ticket->session = separate(std::move(session));
  ERR_clear_error();
  if (!ticket->session) throw std::bad_alloc();
  return ticket;
}

// In TLS 1.2 a ticket makes a session object of its own, in a resumed handshake too.
std::uint32_t SslSession::tickets_received() const noexcept {
  if (SSL_is_server(ssl())) return 0;
  if (SSL_version(ssl()) == TLS1_3_VERSION) return notes_.tickets;
  const SSL_SESSION* session = SSL_get_session(ssl());
  return session && session != offered_.get() && SSL_SESSION_has_ticket(session) ? 1 : 0;
}

void SslSession::describe_common(tlsrig_facts& facts) const noexcept {
  const int version = SSL_version(ssl());
  facts.protocol = version == TLS1_3_VERSION ? TLSRIG_TLS_1_3 : version == TLS1_2_VERSION ? TLSRIG_TLS_1_2 : 0;
  facts.resumed = yes_or_no(SSL_session_reused(ssl()));
  facts.peer_verified = yes_or_no(peer_verified(ssl()));
  facts.cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl()));
}

}  // namespace tlsrig::ssl
