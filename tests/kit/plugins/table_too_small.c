// Says that its table is one slot shorter than the contract's.
#include "toy.h"

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE,
                                                        .struct_size = sizeof(tlsrig_backend) - sizeof(void*)};
