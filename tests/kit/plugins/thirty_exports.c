// Exports thirty functions beside its entry.
#include "../toy.h"

#define EXPORT(name)             \
  TLSRIG_EXPORT int name(void);  \
  int name(void) { return 1; }
#define EXPORT_TEN(name) \
  EXPORT(name##0) EXPORT(name##1) EXPORT(name##2) EXPORT(name##3) EXPORT(name##4) \
  EXPORT(name##5) EXPORT(name##6) EXPORT(name##7) EXPORT(name##8) EXPORT(name##9)
EXPORT_TEN(first_) EXPORT_TEN(second_) EXPORT_TEN(third_)

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
