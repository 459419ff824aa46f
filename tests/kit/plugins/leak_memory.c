// Leaves 10 KiB behind with every session.
#include <string.h>

#include "toy.h"

static void* volatile last = NULL;  // where a compiler sees no use of them

static void leaks(tlsrig_session* session) {
  if (session) last = memset(malloc(10 * 1024), 1, 10 * 1024);
  toy_close(session);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .close = leaks};
