// Keeps an error queue per thread and does not clear it: after a session's failure the next call of another session of
// the thread takes that error for its own. It says TLS 1.3, since only such a backend is given garbage.
#include "claim.h"

static _Thread_local bool queued = false;

static tlsrig_result looks_into_the_queue(tlsrig_session* session) {
  if (session->dead || session->established) return greeting_handshake(session);
  if (queued) {
    queued = false;
    return toy_fail(session, TLSRIG_ERROR_PROTOCOL, "an error that another session left behind");
  }
  const tlsrig_result result = greeting_handshake(session);
  queued = result == TLSRIG_ERROR && session->error->kind == TLSRIG_ERROR_PROTOCOL;
  return result;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, CLAIM_TLS, .handshake = looks_into_the_queue};
