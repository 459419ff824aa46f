// A BIO over the two windows of a tlsrig_wire, for OpenSSL and BoringSSL.
#pragma once

#include <openssl/bio.h>

#include <climits>
#include <cstddef>

#include <tlsrig/sdk/failure.hpp>
#include <tlsrig/sdk/wire.hpp>

namespace tlsrig::ssl {

inline tlsrig_wire& wire_of(BIO* bio) noexcept { return *static_cast<tlsrig_wire*>(BIO_get_data(bio)); }

inline int wire_bio_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  tlsrig_wire& wire = wire_of(bio);
  const std::size_t moved = sdk::take(wire, data, static_cast<std::size_t>(size));
  if (moved) return static_cast<int>(moved);
  if (wire.in_ended) return 0;
  BIO_set_retry_read(bio);
  return -1;
}

inline int wire_bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  const std::size_t moved = sdk::put(wire_of(bio), data, static_cast<std::size_t>(size));
  if (moved) return static_cast<int>(moved);
  BIO_set_retry_write(bio);
  return -1;
}

inline long wire_bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) {  // asked by OpenSSL after a read of 0: what makes it an end and not a fault
    const tlsrig_wire& wire = wire_of(bio);
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
      throw sdk::Failure(TLSRIG_ERROR_OTHER, "BIO_meth_new failed");
    return made;
  }();
  return method;
}

// A BIO over a wire that outlives it. The caller frees it or hands it to an SSL.
inline BIO* new_wire_bio(tlsrig_wire& wire) {
  BIO* bio = BIO_new(wire_bio_method());
  if (!bio) throw sdk::Failure(TLSRIG_ERROR_OTHER, "BIO_new failed");
  BIO_set_data(bio, &wire);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace tlsrig::ssl
