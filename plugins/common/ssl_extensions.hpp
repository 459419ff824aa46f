// The extensions that OpenSSL and BoringSSL both offer, in the same way.
#pragma once

#include <cstring>

#include <tlsrig/sdk/extensions.hpp>

namespace tlsrig::ssl {

// Context and Session derive from SslContext and SslSession. nullptr: there is none of that name.
template <class Context, class Session>
const void* extension(const char* name) noexcept {
  static constexpr tlsrig_resumption resumption = sdk::resumption_table<Context, Session>();
  static constexpr tlsrig_keylog keylog = sdk::keylog_table<Context, Session>();
  static constexpr tlsrig_pending pending = sdk::pending_table<Context, Session>();
  if (std::strcmp(name, TLSRIG_RESUMPTION) == 0) return &resumption;
  if (std::strcmp(name, TLSRIG_KEYLOG) == 0) return &keylog;
  if (std::strcmp(name, TLSRIG_PENDING) == 0) return &pending;
  return nullptr;
}

}  // namespace tlsrig::ssl
