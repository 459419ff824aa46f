// Extension: TLS session resumption (RFC 8446, 2.2; RFC 5246, 7.3; RFC 5077).
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
  // gives it to open or releases it. OK, WANT_READ (none yet: read on) or ERROR. [one thread at a time per session]
  tlsrig_result (*take)(tlsrig_session *session, tlsrig_ticket **ticket);

  // As tlsrig_backend.open, offering the ticket, which it consumes whatever it answers. [any thread]
  tlsrig_result (*open)(tlsrig_context *context, const tlsrig_transport *transport, const char *server_name,
                        tlsrig_ticket *ticket, tlsrig_session **session, tlsrig_error *error);

  // Tickets that the session has read so far. [one thread at a time per session]
  uint32_t (*tickets_received)(tlsrig_session *session);

  // Frees a ticket that was not offered; NULL allowed. [any thread]
  void (*release)(tlsrig_ticket *ticket);
} tlsrig_resumption;

#ifdef __cplusplus
}
#endif
#endif
