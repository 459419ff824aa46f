// Sets SIGPIPE back to its default in start: the next write to a connection that was reset would end the host.
#include <signal.h>

#include "toy.h"

static tlsrig_result resets(const tlsrig_info** info, tlsrig_error* error) {
  signal(SIGPIPE, SIG_DFL);
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = resets};
