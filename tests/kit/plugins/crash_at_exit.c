// Crashes in its exit handler.
#include "toy.h"

static int* volatile nowhere = NULL;

static void crash(void) { *nowhere = 1; }

static tlsrig_result registers(const tlsrig_info** info, tlsrig_error* error) {
  atexit(crash);
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = registers};
