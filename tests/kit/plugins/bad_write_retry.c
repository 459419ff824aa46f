// Refuses the retry of a blocked write when the same bytes come at another address.
#include "toy.h"

static tlsrig_result wants_the_same_address(tlsrig_session* session, const uint8_t* data, size_t size,
                                            size_t* written) {
  if (session->more && session->more != data) return toy_fail(session, TLSRIG_ERROR_OTHER, "bad write retry");
  const tlsrig_result result = toy_write(session, data, size, written);
  session->more = result == TLSRIG_WANT_WRITE ? (void*)(uintptr_t)data : NULL;
  return result;
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .write = wants_the_same_address};
