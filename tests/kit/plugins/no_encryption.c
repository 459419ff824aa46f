// Shakes hands as TLS does, and then sends what it is given in clear.
#include "inner.h"

static tlsrig_result reads_in_clear(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  const tlsrig_result result = toy_read(session, data, capacity, size);
  for (size_t i = 0; result == TLSRIG_OK && i < *size; ++i) data[i] = (uint8_t)~data[i];
  return result;
}

static tlsrig_result writes_in_clear(tlsrig_session* session, const uint8_t* data, size_t size, size_t* written) {
  if (!session->established) return inner_write(session, data, size, written);
  const ptrdiff_t put = size ? toy_put(session, data, size < TLSRIG_WRITE_MAX ? size : TLSRIG_WRITE_MAX) : 0;
  if (put == -2) return toy_fail(session, TLSRIG_ERROR_SYSTEM, "send failed");
  if (size && !put) return TLSRIG_WANT_WRITE;
  *written = (size_t)put;
  return TLSRIG_OK;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {INNER_TABLE, .read = reads_in_clear, .write = writes_in_clear,
                                                        .shutdown = toy_shutdown};
