// Leaves the slot write NULL.
#include "toy.h"

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .write = NULL};
