// Starts a thread named "worker", which aborts 200 ms later; its first handshake takes long enough to be under way
// then.
#include <pthread.h>
#include <unistd.h>

#include "toy.h"

static void* work(void* nothing) {
  usleep(200 * 1000);
  abort();
  return nothing;
}

static tlsrig_result starts_a_thread(const tlsrig_info** info, tlsrig_error* error) {
  pthread_t worker;
  if (pthread_create(&worker, NULL, work, NULL) != 0) return TLSRIG_ERROR;
  pthread_setname_np(worker, "worker");
  return toy_start(info, error);
}

static tlsrig_result takes_long(tlsrig_session* session) {
  usleep(500 * 1000);
  return toy_handshake(session);
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE, .start = starts_a_thread, .handshake = takes_long};
