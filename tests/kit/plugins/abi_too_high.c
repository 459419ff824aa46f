// Says that it was built for the next plugin ABI.
#include "toy.h"

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .abi_version = TLSRIG_ABI_VERSION + 1};
