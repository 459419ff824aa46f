// Ends the process with _exit(0) in the middle of a step, in its second read: nothing is flushed, no handler runs.
#include <unistd.h>

#include "toy.h"

static tlsrig_result ends_the_process(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  static int reads = 0;
  if (++reads == 2) _exit(0);
  return toy_read(session, data, capacity, size);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .read = ends_the_process};
