// A handshake for those plugins of the kit that go wrong in one: 517 bytes each way, the client first.
#ifndef TLSRIG_TESTS_KIT_GREETING_H
#define TLSRIG_TESTS_KIT_GREETING_H

#include "toy.h"

enum { greeting_size = 517 };
#define GREETING_BYTE 'H'

// OK, or WANT_WRITE; ERROR when a system call failed.
static tlsrig_result greeting_send(tlsrig_session* session) {
  const uint8_t byte = GREETING_BYTE;
  for (; session->greeting_sent < greeting_size; ++session->greeting_sent) {
    const ptrdiff_t put = toy_put(session, &byte, 1);
    if (put == -2) return toy_fail(session, TLSRIG_ERROR_SYSTEM, "send failed");
    if (put == 0) return TLSRIG_WANT_WRITE;
  }
  return TLSRIG_OK;
}

// OK, or WANT_READ; ERROR for anything else than the greeting.
static tlsrig_result greeting_take(tlsrig_session* session) {
  for (; session->greeting_taken < greeting_size; ++session->greeting_taken) {
    uint8_t byte = 0;
    const ptrdiff_t taken = toy_take(session, &byte, 1);
    if (taken == -2) return toy_fail(session, TLSRIG_ERROR_SYSTEM, "recv failed");
    if (taken == -1) return toy_fail(session, TLSRIG_ERROR_TRUNCATED, "the end came before the greeting");
    if (taken == 0) return TLSRIG_WANT_READ;
    if (byte != GREETING_BYTE) return toy_fail(session, TLSRIG_ERROR_PROTOCOL, "no greeting");
  }
  return TLSRIG_OK;
}

static tlsrig_result greeting_handshake(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  if (session->established) return TLSRIG_OK;
  tlsrig_result result = session->server ? greeting_take(session) : greeting_send(session);
  if (result == TLSRIG_OK) result = session->server ? greeting_send(session) : greeting_take(session);
  session->established = result == TLSRIG_OK;
  return result;
}

#endif
