// The abilities of the gnutls backend beyond the contract, and the cache of a server's sessions.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "gnutls.hpp"

#include <tlsrig/sdk/extensions.hpp>

namespace gnutls_backend {
namespace {

std::string text_of(const gnutls_datum_t& bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

// A line of the NSS key log in one write(2).
void write_line(int fd, gnutls_session_t handle, const char* label, const gnutls_datum_t& secret) noexcept {
  char line[512];
  int size = std::snprintf(line, sizeof line, "%s ", label);
  gnutls_datum_t client{}, server{};
  gnutls_session_get_random(handle, &client, &server);
  const auto add = [&](const gnutls_datum_t& bytes, char end) {
    for (unsigned i = 0; i < bytes.size && size < static_cast<int>(sizeof line) - 3; ++i)
      size += std::snprintf(line + size, 3, "%02x", bytes.data[i]);
    line[size++] = end;
  };
  add(client, ' ');
  add(secret, '\n');
  [[maybe_unused]] const ssize_t written = ::write(fd, line, static_cast<std::size_t>(size));
}

}  // namespace

// A session as GnuTLS packs it. Where it was not verified for a name, it must not stand for a verified peer later.
class Session::Ticket {
 public:
  std::string data, server_name;
  bool verified = false;
};

Session::Session(Context& context, const tlsrig_transport& transport, const char* server_name,
                 std::unique_ptr<Ticket> ticket, tlsrig_error& error)
    : Session(context, transport, server_name, error) {
  if (context.verify && !(ticket->verified && ticket->server_name == server_name_)) return;
  const int code = gnutls_session_set_data(handle_.get(), ticket->data.data(), ticket->data.size());
  if (code < 0) throw sdk::Failure(TLSRIG_ERROR_OTHER, gnutls_strerror(code), code);
}

std::unique_ptr<Session::Ticket> Session::take() {
  if (context_.server || !context_.keeps_sessions) return nullptr;
  if (is(GNUTLS_TLS1_3)) {
    if (tickets_taken_ == tickets_received_) return nullptr;
    tickets_taken_ = tickets_received_;  // GnuTLS keeps the newest alone
  }
  gnutls_datum_t packed{};
  const int code = gnutls_session_get_data2(handle_.get(), &packed);
  if (code < 0) return nullptr;  // a session that cannot be resumed
  auto ticket = std::make_unique<Ticket>();
  ticket->data = text_of(packed);
  gnutls_free(packed.data);
  ticket->server_name = server_name_;
  ticket->verified = context_.verify;
  return ticket;
}

void Context::start_keylog(int fd) { keylog_fd = fd; }

int Session::log_secret(gnutls_session_t handle, const char* label, const gnutls_datum_t* secret) noexcept {
  write_line(static_cast<Session*>(gnutls_session_get_ptr(handle))->context_.keylog_fd, handle, label, *secret);
  return 0;
}

// GnuTLS calls back when it makes a TLS 1.2 secret, and a resumed session makes none.
void Session::log_resumed_secret() noexcept {
  gnutls_datum_t secret{};
  if (is(GNUTLS_TLS1_3)) return;
  gnutls_session_get_master_secret(handle_.get(), &secret);
  write_line(context_.keylog_fd, handle_.get(), "CLIENT_RANDOM", secret);
}

void SessionCache::serve(gnutls_session_t handle) noexcept {
  gnutls_db_set_ptr(handle, this);
  gnutls_db_set_store_function(handle, store);
  gnutls_db_set_retrieve_function(handle, retrieve);
  gnutls_db_set_remove_function(handle, remove);
}

int SessionCache::store(void* pointer, gnutls_datum_t key, gnutls_datum_t data) noexcept try {
  auto& self = *static_cast<SessionCache*>(pointer);
  const std::lock_guard guard(self.mutex_);
  if (self.sessions_.insert_or_assign(text_of(key), text_of(data)).second) self.by_age_.push_back(text_of(key));
  while (self.by_age_.size() > self.capacity_) {
    self.sessions_.erase(self.by_age_.front());
    self.by_age_.pop_front();
  }
  return 0;
} catch (...) {  // out of memory: the session is not resumed
  return -1;
}

gnutls_datum_t SessionCache::retrieve(void* pointer, gnutls_datum_t key) noexcept try {
  auto& self = *static_cast<SessionCache*>(pointer);
  const std::lock_guard guard(self.mutex_);
  const auto found = self.sessions_.find(text_of(key));
  if (found == self.sessions_.end()) return {};
  auto* const copy = static_cast<unsigned char*>(gnutls_malloc(found->second.size()));  // GnuTLS frees it
  if (!copy) return {};
  std::memcpy(copy, found->second.data(), found->second.size());
  return {copy, static_cast<unsigned>(found->second.size())};
} catch (...) {
  return {};
}

int SessionCache::remove(void* pointer, gnutls_datum_t key) noexcept try {
  auto& self = *static_cast<SessionCache*>(pointer);
  const std::lock_guard guard(self.mutex_);
  return self.sessions_.erase(text_of(key)) ? 0 : -1;
} catch (...) {
  return -1;
}

const void* Context::extension(const char* name) noexcept {
  static constexpr tlsrig_resumption resumption = sdk::resumption_table<Context, Session>();
  static constexpr tlsrig_pending pending = sdk::pending_table<Context, Session>();
  static constexpr tlsrig_keylog keylog = sdk::keylog_table<Context, Session>();
  if (std::strcmp(name, TLSRIG_RESUMPTION) == 0) return &resumption;
  if (std::strcmp(name, TLSRIG_PENDING) == 0) return &pending;
  if (std::strcmp(name, TLSRIG_KEYLOG) == 0) return &keylog;
  return nullptr;
}

}  // namespace gnutls_backend
