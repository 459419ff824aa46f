// Extension: TLS secrets in the NSS key log format (draft-ietf-tls-keylogfile), for reading captures.
#ifndef TLSRIG_KEYLOG_H
#define TLSRIG_KEYLOG_H

#include "tlsrig.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLSRIG_KEYLOG "tlsrig.keylog/1"

typedef struct tlsrig_keylog {
  // Sends the secrets of every session opened later from this context to fd, one line a write(2), so that threads
  // never mix within a line. Before the first open. The fd is borrowed until destroy_context. OK or ERROR.
  tlsrig_result (*start)(tlsrig_context *context, int32_t fd, tlsrig_error *error);
} tlsrig_keylog;

#ifdef __cplusplus
}
#endif
#endif
