// Has a name of 64 characters, the most there may be, and 4,000 for library and build.
#include <string.h>

#include "toy.h"

static tlsrig_result tells_much(const tlsrig_info** info, tlsrig_error* error) {
  static char name[64 + 1], words[4000 + 1];
  memset(name, 'n', sizeof name - 1);
  memset(words, 'w', sizeof words - 1);
  toy_info.name = name;
  toy_info.library = toy_info.build = words;
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = tells_much};
