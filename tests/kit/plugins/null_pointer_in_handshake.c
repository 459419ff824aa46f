// Writes to address 0 in handshake.
#include "toy.h"

static int* volatile nowhere = NULL;

static tlsrig_result crashes(tlsrig_session* session) {
  *nowhere = session->server;
  return TLSRIG_OK;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .handshake = crashes};
