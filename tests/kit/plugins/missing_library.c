// Needs libmissing.so.99, which is not where the loader looks.
#include "toy.h"

int of_the_missing_library(void);

static tlsrig_result starts_with_library(const tlsrig_info** info, tlsrig_error* error) {
  return of_the_missing_library() ? TLSRIG_ERROR : toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = starts_with_library};
