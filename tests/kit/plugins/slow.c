// Takes 1.9 s in start, and again in the first handshake call of the process: slow, and within every deadline. Over
// wires alone, since each step pays for it.
#include <unistd.h>

#include "toy.h"

static tlsrig_result starts_slowly(const tlsrig_info** info, tlsrig_error* error) {
  usleep(1900 * 1000);
  toy_info.transports = TLSRIG_WIRE;
  return toy_start(info, error);
}

static tlsrig_result first_one_is_slow(tlsrig_session* session) {
  static bool first = true;
  if (first) usleep(1900 * 1000);
  first = false;
  return toy_handshake(session);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = starts_slowly,
                                                        .handshake = first_one_is_slow};
