// What a configuration comes to in wolfSSL: a WOLFSSL_CTX and what sessions need to know besides.
#pragma once

#include "library.hpp"
#include "resumption.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tlsrig::wolfssl {

class Context {
 public:
  // Throws sdk::Unsupported and sdk::Failure.
  explicit Context(const tlsrig_config& config);
  static const tlsrig_info& start() { return library().info(); }
  static const void* extension(const char* name) noexcept;

  const bool server, verify;
  const bool without_encrypt_then_mac;
  const std::uint32_t protocols;  // the set that may be negotiated, never 0
  const std::size_t write_max;    // plaintext bytes that one call of wolfSSL_write gets
  const bool keeps_tickets;       // client: sessions give tickets when asked

  std::unique_ptr<SessionStore> store;  // server: outlives the library's context, which calls it
  ContextPointer pointer;

 private:
  void set_ciphers(const char* const* names);
  void set_groups(const char* const* names);
  void load_files(const tlsrig_config& config);
  void set_resumption(const tlsrig_config& config);
  void set_record_size(std::uint32_t size);
};

}  // namespace tlsrig::wolfssl
