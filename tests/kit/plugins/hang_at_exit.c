// Never comes back from its exit handler.
#include <unistd.h>

#include "toy.h"

static void wait_for_ever(void) {
  for (;;) pause();
}

static tlsrig_result registers(const tlsrig_info** info, tlsrig_error* error) {
  atexit(wait_for_ever);
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = registers};
