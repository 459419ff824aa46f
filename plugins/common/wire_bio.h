// A BIO over the two windows of a tlsrig_wire, for OpenSSL and BoringSSL.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>

#include <cstddef>
#include <cstring>

#include <tlsrig/sdk/failure.hpp>
#include <tlsrig/sdk/wire.hpp>

#include "ssl_errors.hpp"

namespace tlsrig::ssl {

// A session's end of a wire. An alert that finds no room in the window is lost in both libraries: they do not repeat
// it. So its rest is kept here, and the session goes on answering WANT_WRITE until it is out.
struct WireEnd {
  static constexpr std::size_t alert_size_most = 128;  // of any suite; a protected alert has 24 to 85 bytes

  explicit WireEnd(tlsrig_wire* wire_) : wire(wire_) {}

  bool keeps_rest() const noexcept { return rest_sent < rest_size; }

  // False: no room for all of it.
  bool flush() noexcept {
    if (keeps_rest()) rest_sent += sdk::put(*wire, rest + rest_sent, rest_size - rest_sent);
    return !keeps_rest();
  }

  bool keep(const char* data, std::size_t size) noexcept {
    if (keeps_rest() || size > alert_size_most) return false;
    std::memcpy(rest, data, size);
    rest_size = size;
    rest_sent = 0;
    return true;
  }

  tlsrig_wire* const wire;
  char rest[alert_size_most];
  std::size_t rest_size = 0, rest_sent = 0;
};

inline WireEnd& end_of(BIO* bio) noexcept { return *static_cast<WireEnd*>(BIO_get_data(bio)); }

inline int wire_bio_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  tlsrig_wire& wire = *end_of(bio).wire;
  const std::size_t moved = sdk::take(wire, data, static_cast<std::size_t>(size));
  if (moved) return static_cast<int>(moved);
  if (wire.in_ended) return 0;
  BIO_set_retry_read(bio);
  return -1;
}

// Both libraries put what went wrong into the error queue before they write the alert that says so.
inline int wire_bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  WireEnd& end = end_of(bio);
  const std::size_t moved = end.flush() ? sdk::put(*end.wire, data, static_cast<std::size_t>(size)) : 0;
  if (moved) [[likely]]
    return static_cast<int>(moved);
  if (ERR_peek_error() && end.keep(data, static_cast<std::size_t>(size))) return size;
  BIO_set_retry_write(bio);
  return -1;
}

inline long wire_bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) {  // asked by OpenSSL after a read of 0: what makes it an end and not a fault
    const tlsrig_wire& wire = *end_of(bio).wire;
    return wire.in_ended && sdk::available(wire) == 0;
  }
  return 0;
}

// One for the process: the libraries hand out method numbers and never take them back.
inline const BIO_METHOD* wire_bio_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index(), "tlsrig wire");
    if (!made || !BIO_meth_set_read(made, wire_bio_read) || !BIO_meth_set_write(made, wire_bio_write) ||
        !BIO_meth_set_ctrl(made, wire_bio_control))
      throw sdk::Failure(TLSRIG_ERROR_OTHER, "BIO_meth_new: " + take_words());
    return made;
  }();
  return method;
}

// A BIO over an end that outlives it. The caller frees it or hands it to an SSL.
inline BIO* new_wire_bio(WireEnd& end) {
  BIO* bio = BIO_new(wire_bio_method());
  if (!bio) throw sdk::Failure(TLSRIG_ERROR_OTHER, "BIO_new: " + take_words());
  BIO_set_data(bio, &end);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace tlsrig::ssl
