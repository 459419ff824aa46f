// Exports two functions, and no tlsrig_backend_v1.
#include "toy.h"

TLSRIG_EXPORT int foo(void);
TLSRIG_EXPORT int bar(void);

int foo(void) { return 1; }
int bar(void) { return 2; }
