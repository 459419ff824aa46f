// Fails in handshake when less than 5 bytes come at once: it thinks that a record's header always comes whole.
#include "greeting.h"

static tlsrig_result wants_a_header(tlsrig_session* session) {
  if (session->dead || session->established) return greeting_handshake(session);
  if (session->wire && session->greeting_taken + 5 <= greeting_size) {
    const size_t there = session->wire->in_size - session->wire->in_used;
    if (there > 0 && there < 5) return toy_fail(session, TLSRIG_ERROR_PROTOCOL, "a record without a whole header");
  }
  return greeting_handshake(session);
}

static tlsrig_result start_on_wires(const tlsrig_info** info, tlsrig_error* error) {
  toy_info.transports = TLSRIG_WIRE;
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = start_on_wires,
                                                        .handshake = wants_a_header};
