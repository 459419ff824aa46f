// Crashes in a constructor, while it is being loaded.
#include "toy.h"

static int* volatile nowhere = NULL;

__attribute__((constructor)) static void crash(void) { *nowhere = 1; }

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
