// Starts a process that goes out of the group of its step's, and lives on.
#include <unistd.h>

#include "toy.h"

static tlsrig_result starts_a_process(const tlsrig_info** info, tlsrig_error* error) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep(300);
    _exit(0);
  }
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = starts_a_process};
