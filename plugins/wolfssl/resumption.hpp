// What a client of wolfSSL offers, and what a server of it keeps by session id.
#pragma once

#include "library.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tlsrig::wolfssl {

struct FreeSession {
  void operator()(WOLFSSL_SESSION* session) const noexcept { wolfSSL_SESSION_free(session); }
};
using OwnedSession = std::unique_ptr<WOLFSSL_SESSION, FreeSession>;

// What tlsrig_ticket points to.
struct Ticket {
  OwnedSession session;
};

// TLS 1.2 sessions of one context by their ids, in place of the library's own table: that one serves the whole process
// and loses entries long before it is full. Any thread.
class SessionStore {
 public:
  // Has the context keep at most `capacity` sessions here, the newest ones; the store must outlive it.
  SessionStore(WOLFSSL_CTX* context, std::size_t capacity);
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;

 private:
  static int on_new(WOLFSSL* ssl, WOLFSSL_SESSION* session) noexcept;
  static WOLFSSL_SESSION* on_lookup(WOLFSSL* ssl, const unsigned char* id, int size, int* copy) noexcept;
  void put(std::string id, OwnedSession session);

  const std::size_t capacity_;
  std::mutex mutex_;
  std::unordered_map<std::string, OwnedSession> sessions_;
  std::deque<std::string> ids_;  // oldest first
};

}  // namespace tlsrig::wolfssl
