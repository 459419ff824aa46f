// Secrets of sessions in the key log format of both libraries.
#pragma once

#include <openssl/ssl.h>

namespace tlsrig::ssl {

// Writes a line per secret of the context's later sessions to `*fd`, which is borrowed for as long as the context; the
// fd is read at each line. Throws sdk::Failure.
void start_keylog(SSL_CTX* context, const int* fd);

}  // namespace tlsrig::ssl
