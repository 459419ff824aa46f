// Defines its entry in a namespace: it is exported, under a C++ name.
#include "toy.h"

namespace toy {
extern TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1;
const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
}  // namespace toy
