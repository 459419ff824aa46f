// What a context of OpenSSL and of BoringSSL has in common: everything but where the two libraries differ.
#pragma once

#include <openssl/ssl.h>

#include <memory>

#include <tlsrig/abi/tlsrig.h>

#include "ssl_catalogue.hpp"

namespace tlsrig::ssl {

struct ContextDeleter {
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using OwnedContext = std::unique_ptr<SSL_CTX, ContextDeleter>;

// A context without any setting. Throws sdk::Failure.
OwnedContext new_context();

// Immutable once made, but for what the library itself guards: sessions may be opened from any thread.
class SslContext {
 public:
  SSL_CTX* get() const { return context_.get(); }
  bool server() const { return server_; }
  bool checks_peer() const { return checks_peer_; }
  bool keeps_tickets() const { return keeps_tickets_; }

  // tlsrig.keylog/1; before the first session is opened.
  void start_keylog(int fd);

 protected:
  // Applies what both libraries do alike: protocols, groups, files, verification, tickets, cache and record size; the
  // ciphers are the backend's to apply, from selection(). Throws sdk::Unsupported, sdk::Failure.
  SslContext(const Catalogue& catalogue, const tlsrig_config& config);

  const Selection& selection() const { return selection_; }

 private:
  OwnedContext context_;
  Selection selection_;
  bool server_, checks_peer_, keeps_tickets_;
  int keylog_fd_ = -1;
};

// Throws sdk::Failure naming what was being set when a library call answered 0.
void require(long answer, const char* what);

}  // namespace tlsrig::ssl
