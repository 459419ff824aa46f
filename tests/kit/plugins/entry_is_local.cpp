// Defines its entry as a C++ constant without `extern "C"`: such a constant is the file's own, and not exported.
#define tlsrig_backend_v1 declared_by_the_header
#include "toy.h"
#undef tlsrig_backend_v1

__attribute__((used)) const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
