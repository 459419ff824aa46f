// Calls a function that no library has.
#include "toy.h"

int not_there(void);

static tlsrig_result starts_elsewhere(const tlsrig_info** info, tlsrig_error* error) {
  return not_there() ? TLSRIG_ERROR : toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = starts_elsewhere};
