// Extension: how many decrypted bytes a session holds ready.
#ifndef TLSRIG_PENDING_H
#define TLSRIG_PENDING_H

#include "tlsrig.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLSRIG_PENDING "tlsrig.pending/1"

typedef struct tlsrig_pending {
  // Decrypted bytes that the next read gives without input. 0 does not say that none are held: a record may be held
  // undecrypted. After handshake was OK. [one thread at a time per session]
  size_t (*bytes)(tlsrig_session *session);
} tlsrig_pending;

#ifdef __cplusplus
}
#endif
#endif
