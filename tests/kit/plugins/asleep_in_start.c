// Sleeps for ever in start, with SIGTERM ignored and blocked.
#include <signal.h>
#include <unistd.h>

#include "toy.h"

static tlsrig_result never_returns(const tlsrig_info** info, tlsrig_error* error) {
  sigset_t all;
  sigfillset(&all);
  signal(SIGTERM, SIG_IGN);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (;;) pause();
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = never_returns};
