// Logs 10 MB to standard error in start.
#include <string.h>

#include "toy.h"

static tlsrig_result logs(const tlsrig_info** info, tlsrig_error* error) {
  char line[1000];
  memset(line, '.', sizeof line);
  line[sizeof line - 1] = '\n';
  for (int i = 0; i < 10 * 1000; ++i) fwrite(line, sizeof line, 1, stderr);
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = logs};
