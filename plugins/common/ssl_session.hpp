// What a session of OpenSSL and of BoringSSL has in common. A backend's Session derives from it and adds what the two
// libraries tell in different ways.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include <tlsrig/abi/tlsrig.h>

#include "ssl_context.hpp"
#include "ssl_errors.hpp"

namespace tlsrig::ssl {

struct SessionDeleter {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};

inline std::uint32_t yes_or_no(bool yes) { return yes ? TLSRIG_YES : TLSRIG_NO; }

class SslSession {
 public:
  // Throws sdk::Failure.
  SslSession(const SslContext& context, const tlsrig_transport& transport, const char* server_name,
             tlsrig_error& error);
  SslSession(const SslSession&) = delete;  // the library holds the address of sent_alert_
  SslSession& operator=(const SslSession&) = delete;

  tlsrig_result handshake() noexcept {
    prepare();
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1) {
      const tlsrig_result answer = answer_to(result);
      return answer == TLSRIG_CLOSED ? fail(SSL_ERROR_ZERO_RETURN, 0) : answer;
    }
    return TLSRIG_OK;
  }

  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    prepare();
    const int result = SSL_read(ssl_.get(), data, static_cast<int>(std::min<std::size_t>(capacity, INT_MAX)));
    if (result <= 0) return answer_to(result);
    size = static_cast<std::size_t>(result);
    return TLSRIG_OK;
  }

  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    prepare();
    const int result = SSL_write(ssl_.get(), data, static_cast<int>(size));
    if (result <= 0) return answer_to(result);
    written = static_cast<std::size_t>(result);
    return TLSRIG_OK;
  }

  tlsrig_result shutdown() noexcept {
    prepare();
    const int result = SSL_shutdown(ssl_.get());  // 0: ours is out, the peer's has not come
    return result >= 0 ? TLSRIG_OK : answer_to(result);
  }

 protected:
  SSL* ssl() const noexcept { return ssl_.get(); }
  bool dead() const noexcept { return dead_; }

  // Before each library call. An old errno would look like one of the transport. SSL_get_error takes an old entry of
  // OpenSSL's error queue for this call's; looking for one costs a sixth of emptying the queue, and seldom there is
  // one. BoringSSL empties its queue itself.
  static void prepare() noexcept {
#ifndef OPENSSL_IS_BORINGSSL
    if (ERR_peek_error()) [[unlikely]]
      ERR_clear_error();
#endif
    errno = 0;
  }

  // The contract's answer to a library call that did not succeed.
  tlsrig_result answer_to(int result) noexcept {
    const int system = errno;
    switch (const int why = SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return TLSRIG_WANT_READ;
      case SSL_ERROR_WANT_WRITE:
        return TLSRIG_WANT_WRITE;
      case SSL_ERROR_ZERO_RETURN:
        if (system == 0) return TLSRIG_CLOSED;
        [[fallthrough]];  // close_notify came earlier; this is a write that the transport refused
      default:
        return fail(why, system);
    }
  }

  tlsrig_result fail(int why, int system) noexcept {
    dead_ = true;
    return report(ssl_.get(), why, system, sent_alert_, error_);
  }

  // What both libraries tell alike.
  void describe_common(tlsrig_facts& facts) const noexcept;

 private:
  tlsrig_error& error_;
  std::unique_ptr<SSL, SessionDeleter> ssl_;
  int sent_alert_ = -1;
  bool dead_ = false;
};

}  // namespace tlsrig::ssl
