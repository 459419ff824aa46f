// The store of sessions and the library's callbacks into it.
#include "resumption.hpp"

#include <new>
#include <utility>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::wolfssl {
namespace {

constexpr int store_index = 0;  // of the context's own data

std::string text_of(const unsigned char* id, std::size_t size) { return {reinterpret_cast<const char*>(id), size}; }

SessionStore& store_of(WOLFSSL* ssl) {
  return *static_cast<SessionStore*>(wolfSSL_CTX_get_ex_data(wolfSSL_get_SSL_CTX(ssl), store_index));
}

}  // namespace

SessionStore::SessionStore(WOLFSSL_CTX* context, std::size_t capacity) : capacity_(capacity) {
  if (wolfSSL_CTX_set_ex_data(context, store_index, this) != WOLFSSL_SUCCESS)
    throw sdk::Unsupported("wolfssl was built without data for a context, which its session cache needs");
  wolfSSL_CTX_sess_set_new_cb(context, on_new);
  wolfSSL_CTX_sess_set_get_cb(context, on_lookup);
}

// 1: the reference is taken. In TLS 1.3 this comes with each ticket sent, which holds the session itself.
int SessionStore::on_new(WOLFSSL* ssl, WOLFSSL_SESSION* session) noexcept {
  if (wolfSSL_version(ssl) != TLS1_2_VERSION) return 0;
  unsigned size = 0;
  const unsigned char* id = wolfSSL_SESSION_get_id(session, &size);
  if (!id || size == 0) return 0;
  OwnedSession owned(session);
  try {
    store_of(ssl).put(text_of(id, size), std::move(owned));
  } catch (const std::bad_alloc&) {  // not kept: the next handshake with it is a full one
  }
  return 1;
}

void SessionStore::put(std::string id, OwnedSession session) {
  OwnedSession oldest;  // goes after the lock
  const std::lock_guard lock(mutex_);
  const auto [at, inserted] = sessions_.insert_or_assign(std::move(id), std::move(session));
  if (!inserted) return;
  ids_.push_back(at->first);
  if (ids_.size() <= capacity_) return;
  oldest = std::move(sessions_.extract(ids_.front()).mapped());
  ids_.pop_front();
}

// The library copies the session and frees it: it gets a reference of its own, since another thread may drop the
// store's at any moment.
WOLFSSL_SESSION* SessionStore::on_lookup(WOLFSSL* ssl, const unsigned char* id, int size, int* copy) noexcept {
  *copy = 0;
  try {
    SessionStore& store = store_of(ssl);
    const std::string wanted = text_of(id, static_cast<std::size_t>(size));
    const std::lock_guard lock(store.mutex_);
    const auto found = store.sessions_.find(wanted);
    if (found == store.sessions_.end() || wolfSSL_SESSION_up_ref(found->second.get()) != WOLFSSL_SUCCESS)
      return nullptr;
    return found->second.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace tlsrig::wolfssl
