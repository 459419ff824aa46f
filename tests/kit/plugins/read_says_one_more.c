// Says of a read that fills its buffer that it gave one byte more, and writes that byte.
#include "toy.h"

static tlsrig_result one_more(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  const tlsrig_result result = toy_read(session, data, capacity, size);
  if (result == TLSRIG_OK && *size == capacity) data[(*size)++] = 0;
  return result;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .read = one_more};
