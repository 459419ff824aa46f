// Extension: TLS session resumption (RFC 8446, 2.2; RFC 5246, 7.3; RFC 5077).
//
// What can be taken. A client context whose tickets and session_cache are both NONE keeps nothing, and take answers
// WANT_READ for ever. With any other the session keeps what it read, and the context nothing.
//  TLS 1.3: the newest NewSessionTicket, once; an older one that was not taken is dropped when a newer one is read. The
//  tickets come after the handshake, and the client must read to get them: a read that answers WANT_READ, all input
//  used, has read them. A resumed handshake brings new ones, at least one from a server whose `tickets` is 1 or more.
//  TLS 1.2: the session, by ticket if the server sent one, else by the id that the server gave it. It is there when
//  handshake is OK, without a read, and stays usable: each take gives it again, in a resumed session too.
// A server decides: a ticket that it does not accept makes a full handshake, and describe tells.
#ifndef TLSRIG_RESUMPTION_H
#define TLSRIG_RESUMPTION_H

#include "tlsrig.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLSRIG_RESUMPTION "tlsrig.resumption/1"

typedef struct tlsrig_ticket tlsrig_ticket;  // a backend's own: a ticket or session, for one use

typedef struct tlsrig_resumption {
  // Takes the newest ticket or session that a client session has read, for one use. After handshake was OK. The caller
  // gives it to open or releases it, at any time and on any thread, before or after the session's close. OK, WANT_READ
  // (none yet: read on; on a server's session always) or ERROR. [one thread at a time per session]
  tlsrig_result (*take)(tlsrig_session *session, tlsrig_ticket **ticket);

  // As tlsrig_backend.open for a client's context, offering the ticket, which it consumes whatever it answers. A ticket
  // may be offered from any context of the same backend. [any thread]
  tlsrig_result (*open)(tlsrig_context *context, const tlsrig_transport *transport, const char *server_name,
                        tlsrig_ticket *ticket, tlsrig_session **session, tlsrig_error *error);

  // NewSessionTicket messages that the session has read so far; TLS 1.2: 0 or 1. [one thread at a time per session]
  uint32_t (*tickets_received)(tlsrig_session *session);

  // Frees a ticket that was not offered; NULL allowed. [any thread]
  void (*release)(tlsrig_ticket *ticket);
} tlsrig_resumption;

#ifdef __cplusplus
}
#endif
#endif
