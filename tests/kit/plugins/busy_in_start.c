// Goes round for ever in start.
#include "toy.h"

static tlsrig_result never_returns(const tlsrig_info** info, tlsrig_error* error) {
  for (volatile unsigned rounds = 0;; ++rounds) continue;
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = never_returns};
