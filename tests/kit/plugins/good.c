// Nothing: the toy as it is. What the damaged copies are made from, and the control of a backend without TLS.
#include "toy.h"

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
