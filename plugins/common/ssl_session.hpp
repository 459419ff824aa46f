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
#include "ssl_resumption.hpp"
#include "wire_bio.h"

namespace tlsrig::ssl {

struct SessionDeleter {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};

inline std::uint32_t yes_or_no(bool yes) { return yes ? TLSRIG_YES : TLSRIG_NO; }

class SslSession {
 public:
  using Ticket = ssl::Ticket;

  // Throws sdk::Failure. ticket: what a client offers.
  SslSession(const SslContext& context, const tlsrig_transport& transport, const char* server_name,
             tlsrig_error& error);
  SslSession(const SslContext& context, const tlsrig_transport& transport, const char* server_name,
             std::unique_ptr<Ticket> ticket, tlsrig_error& error);
  SslSession(const SslSession&) = delete;  // the library holds the addresses of notes_ and end_
  SslSession& operator=(const SslSession&) = delete;

  ~SslSession() {
    ssl_.reset();
    ERR_clear_error();
  }

  tlsrig_result handshake() noexcept {
    if (dead_) return last_words();
    errno = 0;
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1) {
      const tlsrig_result answer = answer_to(result);
      return answer == TLSRIG_CLOSED ? fail(SSL_ERROR_ZERO_RETURN, 0) : answer;
    }
    tidy();
    return end_.flush() ? TLSRIG_OK : TLSRIG_WANT_WRITE;
  }

  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    if (dead_) [[unlikely]]
      return last_words();
    errno = 0;
    const int result = SSL_read(ssl_.get(), data, static_cast<int>(std::min<std::size_t>(capacity, INT_MAX)));
    if (result <= 0) return answer_to(result);
    tidy();
    size = static_cast<std::size_t>(result);
    return TLSRIG_OK;
  }

  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    if (dead_) [[unlikely]]
      return last_words();
    errno = 0;
    const int result = SSL_write(ssl_.get(), data, static_cast<int>(size));
    if (result <= 0) return answer_to(result);
    tidy();
    written = static_cast<std::size_t>(result);
    return TLSRIG_OK;
  }

  tlsrig_result shutdown() noexcept {
    if (dead_) return last_words();
    errno = 0;
    const int result = SSL_shutdown(ssl_.get());  // 0: ours is out, the peer's has not come
    if (result < 0) return answer_to(result);
    ERR_clear_error();
    return TLSRIG_OK;
  }

  std::size_t pending() const noexcept { return static_cast<std::size_t>(SSL_pending(ssl_.get())); }

  // tlsrig.resumption/1. take throws std::bad_alloc.
  std::unique_ptr<Ticket> take();
  std::uint32_t tickets_received() const noexcept;

 protected:
  SSL* ssl() const noexcept { return ssl_.get(); }
  bool dead() const noexcept { return dead_; }

  // SSL_get_error takes an old entry of the thread's error queue for one of this call. To look into the queue before
  // each call costs 15 ns, two hundredths of a small message, so each call leaves it empty instead: a failure is
  // explained from its entries, which takes them out, and a success may leave some only where it handled handshake
  // messages, tickets and key updates among them, of which the library tells.
  void tidy() noexcept {
    if (!notes_.handshake_message) [[likely]]
      return;
    notes_.handshake_message = false;
    ERR_clear_error();
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
    report(ssl_.get(), why, system, notes_.sent_alert, error_);
    return last_words();
  }

  // A session that has failed ends with ERROR once its alert is out.
  tlsrig_result last_words() noexcept { return end_.flush() ? TLSRIG_ERROR : TLSRIG_WANT_WRITE; }

  // What both libraries tell alike.
  void describe_common(tlsrig_facts& facts) const noexcept;

  // Takes back what a library remembers of the full handshake and a resumed one has not negotiated: nobody signs there,
  // and in TLS 1.2 no key is exchanged (RFC 8446, 2.2; RFC 5246, 7.3).
  static void forget_full_handshake(tlsrig_facts& facts) noexcept {
    if (facts.resumed != TLSRIG_YES) return;
    facts.signature = nullptr;
    if (facts.protocol == TLSRIG_TLS_1_2) facts.group = nullptr;
  }

 private:
  tlsrig_error& error_;
  Notes notes_;
  OwnedTicket offered_;
  const bool keeps_tickets_;
  WireEnd end_;  // over an fd it is never used
  std::unique_ptr<SSL, SessionDeleter> ssl_;
  bool dead_ = false;
};

}  // namespace tlsrig::ssl
