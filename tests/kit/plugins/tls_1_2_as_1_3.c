// Is asked for TLS 1.3 and negotiates TLS 1.2, and tells of TLS 1.3.
#include "inner.h"

static tlsrig_result allows_1_2(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  tlsrig_config another = *config;
  another.protocols = TLSRIG_TLS_1_2;
  another.ciphers = another.groups = NULL;
  return inner->create_context(&another, context, error);
}

static void tells_of_1_3(tlsrig_session* session, tlsrig_facts* facts) {
  inner_describe(session, facts);
  facts->protocol = TLSRIG_TLS_1_3;
  facts->cipher = "TLS_AES_128_GCM_SHA256";
}

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {INNER_TABLE, .create_context = allows_1_2,
                                                        .describe = tells_of_1_3};
