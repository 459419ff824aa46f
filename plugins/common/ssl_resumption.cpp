// Noting tickets as they are read.
#include "ssl_resumption.hpp"

namespace tlsrig::ssl {

namespace {

// In TLS 1.3 once per NewSessionTicket. In TLS 1.2 once per full handshake, with or without a ticket: there the SSL
// itself is asked later.
int note_ticket(SSL* ssl, SSL_SESSION* session) {
  auto& notes = *static_cast<Notes*>(SSL_get_app_data(ssl));
  if (SSL_version(ssl) != TLS1_3_VERSION) return 0;
  ++notes.tickets;
  notes.newest.reset(session);
  return 1;  // the reference is ours
}

}  // namespace

// The mode is what makes both libraries call back; without NO_AUTO_CLEAR they search their empty cache now and then.
void report_tickets(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context,
                                 SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL | SSL_SESS_CACHE_NO_AUTO_CLEAR);
  SSL_CTX_sess_set_new_cb(context, note_ticket);
}

OwnedTicket separate(OwnedTicket session) {
#ifdef OPENSSL_IS_BORINGSSL
  return session;  // immutable there
#else
  return OwnedTicket(SSL_SESSION_dup(session.get()));
#endif
}

}  // namespace tlsrig::ssl
