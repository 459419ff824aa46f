// Sleeps for ever in read.
#include <unistd.h>

#include "toy.h"

static tlsrig_result never_returns(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  for (;;) pause();
  return toy_read(session, data, capacity, size);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .read = never_returns};
