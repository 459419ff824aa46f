// The toy with a claim that it is no match for: TLS 1.3. It shakes hands with greetings and tells what it is asked for.
#ifndef TLSRIG_TESTS_KIT_CLAIM_H
#define TLSRIG_TESTS_KIT_CLAIM_H

#include "greeting.h"

static tlsrig_result claim_start(const tlsrig_info** info, tlsrig_error* error) {
  static const char* const ciphers[] = {"TLS_AES_128_GCM_SHA256", NULL};
  static const char* const groups[] = {"x25519", NULL};
  toy_info.protocols = TLSRIG_TLS_1_3;
  toy_info.ciphers = ciphers;
  toy_info.groups = groups;
  return toy_start(info, error);
}

static void claim_describe(tlsrig_session* session, tlsrig_facts* facts) {
  facts->protocol = TLSRIG_TLS_1_3;
  facts->cipher = toy_info.ciphers[0];
  facts->group = toy_info.groups[0];
  facts->peer_verified = session->server ? TLSRIG_NO : TLSRIG_YES;
}

#define CLAIM_TLS .start = claim_start, .handshake = greeting_handshake, .describe = claim_describe

#endif
