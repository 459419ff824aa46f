// gnutls: GnuTLS, by its own socket calls on an fd and by its pull and push functions on a wire.
#include "gnutls.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include <tlsrig/sdk/wire.hpp>

namespace gnutls_backend {

Context::Context(const tlsrig_config& config)
    : server(config.role == TLSRIG_SERVER),
      verify(config.verify_peer == TLSRIG_ON),
      keeps_sessions(config.tickets != TLSRIG_NONE || config.session_cache != TLSRIG_NONE) {
  if (config.read_ahead == TLSRIG_ON)
    throw sdk::Unsupported("gnutls reads one record at a time: read_ahead has no effect");
  if (config.release_buffers == TLSRIG_ON)
    throw sdk::Unsupported("gnutls frees the buffers of each record: release_buffers has no effect");
  if (config.record_size_max != TLSRIG_NONE) record_size_max = config.record_size_max;
  if (record_size_max && (record_size_max < 512 || record_size_max > 16384))
    throw sdk::Unsupported("gnutls takes a record_size_max of 512 to 16384");
  priorities = pin(config);

  gnutls_certificate_credentials_t made = nullptr;
  require(gnutls_certificate_allocate_credentials(&made));
  credentials.reset(made);
  if (config.certificate_chain || config.private_key)
    load_certificate(made, config.certificate_chain, config.private_key);
  if (config.trust_anchors) load_trust_anchors(made, config.trust_anchors);
  if (verify && !config.trust_anchors) gnutls_certificate_set_x509_system_trust(made);

  flags = GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | (server ? GNUTLS_SERVER | GNUTLS_NO_AUTO_SEND_TICKET : GNUTLS_CLIENT);
  if (config.groups) flags |= GNUTLS_KEY_SHARE_TOP;  // its default makes keys for two groups
  if (config.tickets == TLSRIG_NONE) flags |= GNUTLS_NO_TICKETS;
  if (!server) return;
  // As shipped a GnuTLS server has neither tickets nor a cache: both are for the application to give it.
  if (config.tickets && config.tickets != TLSRIG_NONE) {
    tickets = config.tickets;
    require(gnutls_session_ticket_key_generate(&ticket_key));
  }
  if (config.session_cache && config.session_cache != TLSRIG_NONE)
    cache = std::make_unique<SessionCache>(config.session_cache);
}

Session::Session(Context& context, const tlsrig_transport& transport, const char* server_name, tlsrig_error& error)
    : context_(context),
      wire_(transport.kind == TLSRIG_WIRE ? transport.wire : nullptr),
      fd_(transport.fd),
      error_(error),
      server_name_(context.server || !server_name ? "" : server_name) {
  gnutls_session_t handle = nullptr;
  require(gnutls_init(&handle, context.flags));
  handle_.reset(handle);
  gnutls_session_set_ptr(handle, this);
  require(gnutls_priority_set(handle, context.priorities.get()));
  require(gnutls_credentials_set(handle, GNUTLS_CRD_CERTIFICATE, context.credentials.get()));
  if (context.record_size_max) require(static_cast<int>(gnutls_record_set_max_size(handle, context.record_size_max)));
  if (wire_) {
    gnutls_transport_set_ptr(handle, this);
    gnutls_transport_set_pull_function(handle, pull);
    gnutls_transport_set_push_function(handle, push);
  } else {
    gnutls_transport_set_int(handle, transport.fd);
  }
  if (context.server) {
    gnutls_certificate_server_set_request(handle, context.verify ? GNUTLS_CERT_REQUIRE : GNUTLS_CERT_IGNORE);
    if (context.ticket_key.data) require(gnutls_session_ticket_enable_server(handle, &context.ticket_key));
    if (context.cache) context.cache->serve(handle);
  } else if (in6_addr address; !server_name_.empty() && inet_pton(AF_INET, server_name_.c_str(), &address) != 1 &&
                               inet_pton(AF_INET6, server_name_.c_str(), &address) != 1) {
    require(gnutls_server_name_set(handle, GNUTLS_NAME_DNS, server_name_.data(), server_name_.size()));
  }
  if (context.verify) {  // a textual IP address is compared with those in the certificate
    const char* const purpose = context.server ? GNUTLS_KP_TLS_WWW_CLIENT : GNUTLS_KP_TLS_WWW_SERVER;
    const auto bytes = [](const char* text) { return reinterpret_cast<unsigned char*>(const_cast<char*>(text)); };
    wanted_[0] = {GNUTLS_DT_KEY_PURPOSE_OID, bytes(purpose), 0};
    wanted_[1] = {GNUTLS_DT_DNS_HOSTNAME, bytes(server_name_.c_str()), 0};
    gnutls_session_set_verify_cert2(handle, wanted_, server_name_.empty() ? 1 : 2, 0);
  }
  gnutls_handshake_set_hook_function(handle, GNUTLS_HANDSHAKE_ANY, GNUTLS_HOOK_POST, on_message);
  if (context.keylog_fd >= 0) gnutls_session_set_keylog_function(handle, log_secret);
}

ssize_t Session::pull(gnutls_transport_ptr_t session, void* data, std::size_t capacity) noexcept {
  tlsrig_wire& wire = *static_cast<Session*>(session)->wire_;
  const std::size_t size = sdk::take(wire, data, capacity);
  if (size || wire.in_ended) return static_cast<ssize_t>(size);
  errno = EAGAIN;
  return -1;
}

// Until the handshake is over everything is taken: stopped within a TLS 1.3 ChangeCipherSpec GnuTLS 3.7 goes on without
// sending the rest, which then takes an alert's place. (On an fd that needs a full socket after one ClientHello.)
ssize_t Session::push(gnutls_transport_ptr_t session, const void* data, std::size_t size) noexcept try {
  auto& self = *static_cast<Session*>(session);
  std::size_t taken = self.held_back_.empty() ? sdk::put(*self.wire_, data, size) : 0;
  if (!self.agreed_) {
    self.held_back_.append(static_cast<const char*>(data) + taken, size - taken);
    taken = size;
  }
  if (taken) return static_cast<ssize_t>(taken);
  errno = EAGAIN;
  return -1;
} catch (...) {
  errno = ENOMEM;
  return -1;
}

tlsrig_result Session::release(tlsrig_result result) noexcept {
  if (held_back_.empty()) return result;
  held_back_.erase(0, sdk::put(*wire_, held_back_.data(), held_back_.size()));
  return held_back_.empty() ? result : TLSRIG_WANT_WRITE;
}

int Session::on_message(gnutls_session_t handle, unsigned type, unsigned, unsigned incoming,
                        const gnutls_datum_t*) noexcept {
  Session& self = *static_cast<Session*>(gnutls_session_get_ptr(handle));
  if (type == GNUTLS_HANDSHAKE_HELLO_RETRY_REQUEST) self.hello_retry_ = true;
  if (type == GNUTLS_HANDSHAKE_NEW_SESSION_TICKET && incoming) ++self.tickets_received_;
  return 0;
}

// Calls until the transport has nothing more, or no room: GnuTLS says "again" as well when it has read a message that
// is not for the caller, and errno tells the two apart.
template <class Call>
tlsrig_result Session::run(const Call& call) noexcept {
  for (;;) {
    errno = 0;
    const int code = static_cast<int>(call());
    const int number = errno;
    if (code >= 0) return TLSRIG_OK;
    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED) {
      if (number == EAGAIN) return gnutls_record_get_direction(handle_.get()) ? TLSRIG_WANT_WRITE : TLSRIG_WANT_READ;
    } else if (gnutls_error_is_fatal(code) || (code == GNUTLS_E_REHANDSHAKE && context_.server)) {
      return fail(code, number);
    }
  }
}

bool Session::input_ended() noexcept {
  if (wire_) return wire_->in_ended && sdk::available(*wire_) == 0;
  char byte;
  return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

tlsrig_result Session::fail(int code, int number) noexcept {
  failed_ = true;
  const bool ended = code == GNUTLS_E_PREMATURE_TERMINATION;
  if (code == GNUTLS_E_FATAL_ALERT_RECEIVED) {
    const gnutls_alert_description_t alert = gnutls_alert_get(handle_.get());
    sdk::set_error(error_, TLSRIG_ERROR_ALERT, code, alert, gnutls_alert_get_name(alert));
  } else if (number && number != EAGAIN && (ended || code == GNUTLS_E_PUSH_ERROR || code == GNUTLS_E_PULL_ERROR)) {
    sdk::set_system_error(error_, number);                                             // ECONNRESET comes as an end
  } else if (ended || (code == GNUTLS_E_UNEXPECTED_PACKET_LENGTH && input_ended())) {  // an end within a record
    sdk::set_error(error_, TLSRIG_ERROR_TRUNCATED, code, -1, gnutls_strerror(code));
  } else {
    alert_due_ = true;
    const int alert = gnutls_error_to_alert(code, nullptr);
    sdk::set_error(error_, kind_of(code), code, alert, gnutls_strerror(code));
    if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
      gnutls_datum_t words{};
      const unsigned status = gnutls_session_get_verify_cert_status(handle_.get());
      gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &words, 0);
      if (words.data) sdk::set_error(error_, kind_of(code), code, alert, reinterpret_cast<const char*>(words.data));
      gnutls_free(words.data);
    }
  }
  return finish_failure();
}

// The alert goes out behind the rest of a write that was blocked, which the first call sends in its place.
tlsrig_result Session::finish_failure() noexcept {
  while (alert_due_) {
    errno = 0;
    const int code =
        gnutls_alert_send(handle_.get(), GNUTLS_AL_FATAL, static_cast<gnutls_alert_description_t>(error_.alert));
    if (code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED) {
      if (errno == EAGAIN) return TLSRIG_WANT_WRITE;
    } else {
      alert_due_ = code >= 0 && std::exchange(write_blocked_, false);
    }
  }
  return TLSRIG_ERROR;
}

tlsrig_result Session::handshake() noexcept {
  if (const tlsrig_result result = release(TLSRIG_OK)) return result;
  if (failed_) return finish_failure();
  if (!agreed_) {
    if (const tlsrig_result result = run([&] { return gnutls_handshake(handle_.get()); })) return release(result);
    agreed_ = true;
    if (context_.keylog_fd >= 0 && resumed()) log_resumed_secret();
    if (const tlsrig_result result = release(TLSRIG_OK)) return result;
  }
  if (!context_.tickets || !is(GNUTLS_TLS1_3)) return TLSRIG_OK;
  return run([&] { return gnutls_session_ticket_send(handle_.get(), context_.tickets, 0); });
}

tlsrig_result Session::read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
  if (failed_) return finish_failure();
  const tlsrig_result result = run([&] {
    const ssize_t received = gnutls_record_recv(handle_.get(), data, capacity);
    if (received > 0) size = static_cast<std::size_t>(received);
    return received;
  });
  return result == TLSRIG_OK && size == 0 ? TLSRIG_CLOSED : result;
}

tlsrig_result Session::write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
  if (failed_) return finish_failure();
  const tlsrig_result result = run([&] {
    const ssize_t sent = gnutls_record_send(handle_.get(), data, size);
    if (sent > 0) written = static_cast<std::size_t>(sent);
    return sent;
  });
  write_blocked_ = result == TLSRIG_WANT_WRITE;
  return result;
}

tlsrig_result Session::shutdown() noexcept {
  if (failed_) return finish_failure();
  return run([&] { return gnutls_bye(handle_.get(), GNUTLS_SHUT_WR); });
}

void Session::describe(tlsrig_facts& facts) noexcept {
  const gnutls_session_t handle = handle_.get();
  unsigned certificates = 0;
  const bool shown = gnutls_certificate_get_peers(handle, &certificates) && certificates;
  const auto answer = [](bool yes) { return yes ? TLSRIG_YES : TLSRIG_NO; };
  const bool tls13 = is(GNUTLS_TLS1_3);
  facts.protocol = tls13 ? TLSRIG_TLS_1_3 : is(GNUTLS_TLS1_2) ? TLSRIG_TLS_1_2 : 0;
  facts.resumed = answer(resumed());
  facts.hello_retry = answer(hello_retry_);
  facts.peer_verified = answer(context_.verify && shown);  // where it did not hold the handshake has failed
  facts.encrypt_then_mac = answer(gnutls_session_etm_status(handle) != 0);
  facts.cipher = gnutls_ciphersuite_get(handle);
  if (!resumed())
    facts.signature =
        signature_name(context_.server ? gnutls_sign_algorithm_get_client(handle) : gnutls_sign_algorithm_get(handle));
  if (!resumed() || tls13) facts.group = group_name(gnutls_group_get(handle));
}

}  // namespace gnutls_backend

TLSRIG_BACKEND(gnutls_backend::Context, gnutls_backend::Session)
