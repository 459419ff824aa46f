// Answers WANT_READ in handshake for ever, although the client's 517 bytes are there.
#include "greeting.h"

static tlsrig_result uses_nothing(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  const tlsrig_result result = session->server ? TLSRIG_WANT_READ : greeting_send(session);
  return result == TLSRIG_OK ? TLSRIG_WANT_READ : result;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .handshake = uses_nothing};
