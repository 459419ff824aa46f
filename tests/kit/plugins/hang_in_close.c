// Sleeps for ever in close.
#include <unistd.h>

#include "toy.h"

static void never_returns(tlsrig_session* session) {
  for (;;) pause();
  toy_close(session);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .close = never_returns};
