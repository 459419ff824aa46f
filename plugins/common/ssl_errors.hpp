// What went wrong: from the return values and the error queue of OpenSSL or BoringSSL to a tlsrig_error.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::ssl {

// Set-up: the library's words on the oldest entry of this thread's error queue, which is emptied.
std::string take_words();

// Fills `error` for a call on `ssl` that failed: `why` is SSL_get_error's answer, `system` the errno right after the
// call (0 before it), `sent_alert` the alert that the library sent, -1: none seen. Empties this thread's error queue,
// so that the next call does not find the old entries. Does not allocate.
void report(SSL* ssl, int why, int system, int sent_alert, tlsrig_error& error) noexcept;

}  // namespace tlsrig::ssl
