// Tickets and sessions of OpenSSL and BoringSSL on a client: what was read, and what a session offers.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>

namespace tlsrig::ssl {

struct TicketDeleter {
  void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
};
using OwnedTicket = std::unique_ptr<SSL_SESSION, TicketDeleter>;

// What tlsrig_ticket points to.
struct Ticket {
  OwnedTicket session;
};

// What the libraries' callbacks note of a session; its address is the SSL's app data.
struct Notes {
  int sent_alert = -1;
  bool handshake_message = false;  // one was sent or read since this was last false
  std::uint32_t tickets = 0;       // TLS 1.3: NewSessionTicket messages
  OwnedTicket newest;              // TLS 1.3: the last of them, until it is taken
};

// Has the context of a client report every ticket to the Notes of its session, and keep nothing itself.
void report_tickets(SSL_CTX* context);

// A ticket of its own for each use. In OpenSSL the object is shared with the session that read it, whose failure, like
// a first use in TLS 1.3, would end it for all. Null: out of memory.
OwnedTicket separate(OwnedTicket session);

}  // namespace tlsrig::ssl
