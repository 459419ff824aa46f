// What the files of the gnutls backend share: gnutls.cpp is the contract, library.cpp what GnuTLS calls things, and
// extensions.cpp what lies beyond the contract.
#pragma once

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include <tlsrig/sdk/backend.hpp>

namespace gnutls_backend {

namespace sdk = tlsrig::sdk;

// An object of GnuTLS with the function that frees it.
template <class Pointer, auto free_function>
struct Freed {
  void operator()(Pointer object) const noexcept { free_function(object); }
};
template <class Pointer, auto free_function>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Freed<Pointer, free_function>>;

using Credentials = Owned<gnutls_certificate_credentials_t, gnutls_certificate_free_credentials>;
using Priorities = Owned<gnutls_priority_t, gnutls_priority_deinit>;
using Handle = Owned<gnutls_session_t, gnutls_deinit>;

// A cipher suite under the name that IANA gave it, and what a priority string has to enable for it.
struct Suite {
  std::string name, priority;
  bool tls13;
};

const std::vector<Suite>& known_suites();
const std::vector<std::string>& known_groups();
void require(int code);  // throws what GnuTLS says of a negative one
void load_certificate(gnutls_certificate_credentials_t credentials, const char* chain, const char* key);
void load_trust_anchors(gnutls_certificate_credentials_t credentials, const char* file);
Priorities pin(const tlsrig_config& config);
std::int32_t kind_of(int code) noexcept;
const char* group_name(gnutls_group_t group) noexcept;
const char* signature_name(int algorithm) noexcept;

// A server's TLS 1.2 sessions by id, the oldest dropped first. GnuTLS has no store of its own, only calls to one.
class SessionCache {
 public:
  explicit SessionCache(std::size_t capacity) : capacity_(capacity) {}
  void serve(gnutls_session_t handle) noexcept;

 private:
  static int store(void* cache, gnutls_datum_t key, gnutls_datum_t data) noexcept;
  static gnutls_datum_t retrieve(void* cache, gnutls_datum_t key) noexcept;
  static int remove(void* cache, gnutls_datum_t key) noexcept;

  const std::size_t capacity_;
  std::mutex mutex_;  // sessions of one context run on several threads
  std::map<std::string, std::string> sessions_;
  std::deque<std::string> by_age_;  // a removed one may linger here: dropping it then drops nothing
};

// Everything that a session takes from its configuration.
struct Context {
  explicit Context(const tlsrig_config& config);
  ~Context() { gnutls_free(ticket_key.data); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  static const tlsrig_info& start();
  static const void* extension(const char* name) noexcept;
  void start_keylog(int fd);

  Credentials credentials;
  Priorities priorities;
  gnutls_datum_t ticket_key{};
  std::unique_ptr<SessionCache> cache;
  unsigned flags = 0;  // of gnutls_init
  bool server, verify, keeps_sessions;
  std::uint32_t tickets = 0;  // a server's, in TLS 1.3
  std::uint32_t record_size_max = 0;
  int keylog_fd = -1;
};

class Session {
 public:
  class Ticket;

  Session(Context& context, const tlsrig_transport& transport, const char* server_name, tlsrig_error& error);
  Session(Context& context, const tlsrig_transport& transport, const char* server_name, std::unique_ptr<Ticket> ticket,
          tlsrig_error& error);

  tlsrig_result handshake() noexcept;
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept;
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept;
  tlsrig_result shutdown() noexcept;
  void describe(tlsrig_facts& facts) noexcept;

  std::size_t pending() noexcept { return gnutls_record_check_pending(handle_.get()); }
  std::unique_ptr<Ticket> take();
  std::uint32_t tickets_received() noexcept { return tickets_received_; }

 private:
  static ssize_t pull(gnutls_transport_ptr_t session, void* data, std::size_t capacity) noexcept;
  static ssize_t push(gnutls_transport_ptr_t session, const void* data, std::size_t size) noexcept;
  static int on_message(gnutls_session_t handle, unsigned type, unsigned when, unsigned incoming,
                        const gnutls_datum_t* message) noexcept;
  static int log_secret(gnutls_session_t handle, const char* label, const gnutls_datum_t* secret) noexcept;

  template <class Call>
  tlsrig_result run(const Call& call) noexcept;
  tlsrig_result fail(int code, int number) noexcept;
  tlsrig_result release(tlsrig_result result) noexcept;
  bool input_ended() noexcept;
  tlsrig_result finish_failure() noexcept;
  void log_resumed_secret() noexcept;
  bool is(gnutls_protocol_t version) const noexcept { return gnutls_protocol_get_version(handle_.get()) == version; }
  bool resumed() const noexcept { return gnutls_session_is_resumed(handle_.get()) != 0; }

  Context& context_;
  tlsrig_wire* wire_;
  int fd_;
  tlsrig_error& error_;
  std::string server_name_;            // GnuTLS keeps a pointer to it
  gnutls_typed_vdata_st wanted_[2]{};  // as well as to what is wanted of the peer's certificate
  std::string held_back_;              // output of the handshake that found no room in the window
  Handle handle_;
  std::uint32_t tickets_received_ = 0, tickets_taken_ = 0;
  bool hello_retry_ = false, agreed_ = false, failed_ = false, alert_due_ = false, write_blocked_ = false;
};

}  // namespace gnutls_backend
