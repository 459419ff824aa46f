// Offers the least that there is: wires alone, no cipher, no group, no extension.
#include "toy.h"

static tlsrig_result offers_least(const tlsrig_info** info, tlsrig_error* error) {
  toy_info.transports = TLSRIG_WIRE;
  toy_info.ciphers = toy_info.groups = NULL;
  toy_info.build = "";
  return toy_start(info, error);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = offers_least};
