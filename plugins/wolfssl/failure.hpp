// Why a session of wolfSSL ended, in the contract's terms.
#pragma once

#include "library.hpp"

namespace tlsrig::wolfssl {

// Fills `error` for a session that ended with `code` of wolfSSL_get_error; system_error: the errno of the call that
// failed, 0 over a wire. Returns TLSRIG_ERROR, or TLSRIG_UNSUPPORTED for a limit of the library's own.
tlsrig_result explain(WOLFSSL* session, int code, int system_error, tlsrig_error& error) noexcept;

}  // namespace tlsrig::wolfssl
