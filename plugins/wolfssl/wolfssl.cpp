// The wolfssl backend: sessions of wolfSSL through its native calls. Of its layer of OpenSSL names nothing is used, so
// that it stands beside a real OpenSSL in one process.
#include "session.hpp"

#include "failure.hpp"

#include <arpa/inet.h>
#include <wolfssl/wolfio.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/sdk/wire.hpp>

namespace tlsrig::wolfssl {

Session::Session(Context& context, const tlsrig_transport& transport, const char* server_name, tlsrig_error& error)
    : context_(context),
      error_(error),
      wire_(transport.kind == TLSRIG_WIRE ? transport.wire : nullptr),
      fd_(transport.fd),
      output_(wire_, fd_),
      ssl_(wolfSSL_new(context.pointer.get())) {
  if (!ssl_) throw sdk::Failure(TLSRIG_ERROR_OTHER, "wolfSSL_new failed");
  if (wire_) {
    wolfSSL_SSLSetIORecv(ssl_.get(), on_receive);
    wolfSSL_SetIOReadCtx(ssl_.get(), this);
  } else {
    wolfSSL_set_fd(ssl_.get(), fd_);
    wolfSSL_set_using_nonblock(ssl_.get(), 1);
  }
  send_through_output();
  if (!context.server) wolfSSL_set_SessionTicket_cb(ssl_.get(), on_ticket, this);
  if (server_name && !context.server) name_server(server_name);
}

void Session::name_server(const char* name) {
  unsigned char address[sizeof(in6_addr)];
  const bool v4 = inet_pton(AF_INET, name, address) == 1;
  const bool v6 = inet_pton(AF_INET6, name, address) == 1;
  if (v6 && context_.verify)
    throw sdk::Unsupported(std::string("wolfssl cannot check the IPv6 address ") + name +
                           ": the library refuses the right ones");
  bool taken = v4 || v6 ||
               wolfSSL_UseSNI(ssl_.get(), WOLFSSL_SNI_HOST_NAME, name,
                              static_cast<unsigned short>(std::strlen(name))) == WOLFSSL_SUCCESS;
  if (context_.verify) taken = wolfSSL_check_domain_name(ssl_.get(), name) == WOLFSSL_SUCCESS && taken;
  if (!taken) throw sdk::Failure(TLSRIG_ERROR_CONFIG, std::string("wolfSSL refused the server name ") + name);
}

void Session::send_through_output() noexcept {
  wolfSSL_SSLSetIOSend(ssl_.get(), on_send);
  wolfSSL_SetIOWriteCtx(ssl_.get(), this);
}

void Session::send_by_library() noexcept {
  wolfSSL_SSLSetIOSend(ssl_.get(), EmbedSend);
  wolfSSL_set_write_fd(ssl_.get(), fd_);
  output_.release();
}

int Session::on_receive(WOLFSSL*, char* data, int capacity, void* self) {
  tlsrig_wire& wire = *static_cast<Session*>(self)->wire_;
  const std::size_t size = sdk::take(wire, data, static_cast<std::size_t>(capacity));
  if (size) return static_cast<int>(size);
  return wire.in_ended ? WOLFSSL_CBIO_ERR_CONN_CLOSE : WOLFSSL_CBIO_ERR_WANT_READ;
}

int Session::on_send(WOLFSSL*, char* data, int size, void* self) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data);
  const bool taken = static_cast<Session*>(self)->output_.put(bytes, static_cast<std::size_t>(size));
  return taken ? size : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

// OK, WANT_WRITE, or the answer that the session ends with.
tlsrig_result Session::flush() noexcept {
  const tlsrig_result result = output_.flush();
  if (result != TLSRIG_ERROR) [[likely]]
    return result;
  if (!failed_) sdk::set_system_error(error_, errno);
  return failed_ = failed_ ? failed_ : TLSRIG_ERROR;
}

// The answer to a call of the library that did not succeed.
tlsrig_result Session::settle(int result) noexcept {
  const int system_error = errno;
  const int code = wolfSSL_get_error(ssl_.get(), result);
  const bool closed = code == WOLFSSL_ERROR_ZERO_RETURN && established_;
  if (code != WOLFSSL_ERROR_WANT_READ && code != WOLFSSL_ERROR_WANT_WRITE && !closed) {
    failed_ = explain(ssl_.get(), code, wire_ ? 0 : system_error, error_);
    if (established_) failed_ = TLSRIG_ERROR;  // limits are told by handshake alone
    return last_words();
  }
  const tlsrig_result flushed = flush();
  if (flushed == TLSRIG_ERROR || (flushed == TLSRIG_WANT_WRITE && !taken_)) return flushed;
  if (closed) return TLSRIG_CLOSED;
  return code == WOLFSSL_ERROR_WANT_READ ? TLSRIG_WANT_READ : TLSRIG_WANT_WRITE;
}

// Ends the session once the alert that says why has left.
tlsrig_result Session::last_words() noexcept { return flush() == TLSRIG_WANT_WRITE ? TLSRIG_WANT_WRITE : failed_; }

tlsrig_result Session::handshake() noexcept {
  if (failed_) return last_words();
  if (!established_) {
    if (const tlsrig_result flushed = flush()) return flushed;
    own_curve_cache();
    errno = 0;
    const int result = context_.server ? wolfSSL_accept(ssl_.get()) : wolfSSL_connect(ssl_.get());
    if (result != WOLFSSL_SUCCESS) return settle(result);
    established_ = true;
  }
  if (const tlsrig_result flushed = flush()) return flushed;
  if (!wire_) send_by_library();
  return TLSRIG_OK;
}

// Goes on while a write is blocked: two sessions that both wait for room must be able to read. An answer to a KeyUpdate
// that finds no room leaves with the next call, which after OK comes before any waiting.
tlsrig_result Session::read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
  if (failed_) [[unlikely]]
    return last_words();
  if (flush() == TLSRIG_ERROR) return TLSRIG_ERROR;
  errno = 0;
  const int result = wolfSSL_read(ssl_.get(), data, static_cast<int>(std::min<std::size_t>(capacity, INT_MAX)));
  if (result <= 0) return settle(result);
  size = static_cast<std::size_t>(result);
  return flush() == TLSRIG_ERROR ? TLSRIG_ERROR : TLSRIG_OK;
}

tlsrig_result Session::write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
  if (failed_) [[unlikely]]
    return last_words();
  if (const tlsrig_result flushed = flush()) return flushed;
  if (!taken_) {
    errno = 0;
    const int result = wolfSSL_write(ssl_.get(), data, static_cast<int>(std::min(size, context_.write_max)));
    if (result <= 0) return settle(result);
    taken_ = static_cast<std::size_t>(result);
    if (const tlsrig_result flushed = flush()) return flushed;
  }
  written = std::exchange(taken_, 0);
  return TLSRIG_OK;
}

tlsrig_result Session::shutdown() noexcept {
  if (failed_) return last_words();
  if (!notified_) {
    if (const tlsrig_result flushed = flush()) return flushed;
    send_through_output();
    errno = 0;
    if (const int result = wolfSSL_shutdown(ssl_.get()); result < 0) return settle(result);
    notified_ = true;
  }
  return flush();
}

void Session::describe(tlsrig_facts& facts) noexcept {
  WOLFSSL* ssl = ssl_.get();
  const int version = wolfSSL_version(ssl), cipher = wolfSSL_get_current_cipher_suite(ssl);
  const char* curve = wolfSSL_get_curve_name(ssl);
  const Group* group = curve ? Library::group(curve) : nullptr;
  facts.protocol = version == TLS1_3_VERSION ? TLSRIG_TLS_1_3 : version == TLS1_2_VERSION ? TLSRIG_TLS_1_2 : 0;
  facts.cipher = wolfSSL_get_cipher_name_iana_from_suite(static_cast<unsigned char>(cipher >> 8),
                                                         static_cast<unsigned char>(cipher));
  facts.group = group ? group->name : nullptr;
  facts.resumed = wolfSSL_session_reused(ssl) ? TLSRIG_YES : TLSRIG_NO;
  const bool aead = facts.cipher && !std::strstr(facts.cipher, "_CBC_");
  facts.encrypt_then_mac = aead || context_.without_encrypt_then_mac ? TLSRIG_NO : TLSRIG_UNKNOWN;
  // The result of verification alone is "ok" also when nothing was verified.
  const bool verified = context_.verify && wolfSSL_get_chain_count(wolfSSL_get_peer_chain(ssl)) > 0 &&
                        wolfSSL_get_verify_result(ssl) == X509_V_OK;
  facts.peer_verified = verified ? TLSRIG_YES : TLSRIG_NO;
}

}  // namespace tlsrig::wolfssl

TLSRIG_BACKEND(tlsrig::wolfssl::Context, tlsrig::wolfssl::Session)
