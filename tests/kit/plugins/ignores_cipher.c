// Ignores which ciphers it is told to use.
#include "inner.h"

static tlsrig_result forgets_the_ciphers(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  tlsrig_config another = *config;
  another.ciphers = NULL;
  return inner->create_context(&another, context, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {INNER_TABLE, .create_context = forgets_the_ciphers};
