// A session: one end of one connection. Every call is one indirect call through the backend's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tlsrig/host/context.hpp>

namespace tlsrig::host {

class Session {
 public:
  // Opens a session. `error` and transport.wire are the caller's and stay in place until the session is gone.
  // server_name: nullptr for none. Throws Unsupported or SetupError.
  Session(const Context& context, const tlsrig_transport& transport, const char* server_name, tlsrig_error& error);
  Session(Session&& other) noexcept
      : table_(other.table_), session_(std::exchange(other.session_, nullptr)), error_(other.error_) {}
  Session& operator=(Session&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(session_, other.session_);
    std::swap(error_, other.error_);
    return *this;
  }
  ~Session() { table_->close(session_); }

  tlsrig_result handshake() { return table_->handshake(session_); }
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) {
    return table_->read(session_, data, capacity, &size);
  }
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) {
    return table_->write(session_, data, size, &written);
  }
  tlsrig_result shutdown() { return table_->shutdown(session_); }

  // What the handshake settled; after handshake was OK only. Strings live until the session is gone.
  tlsrig_facts describe() const;

  const tlsrig_error& error() const { return *error_; }
  tlsrig_session* get() const { return session_; }

 private:
  const tlsrig_backend* table_;
  tlsrig_session* session_;
  tlsrig_error* error_;
};

}  // namespace tlsrig::host
