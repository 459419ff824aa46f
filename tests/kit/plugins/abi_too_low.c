// Says that it was built for plugin ABI 0.
#include "toy.h"

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .abi_version = 0};
