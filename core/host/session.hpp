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

  // noexcept: an exception that a backend lets out ends the process where it stands, so that the stack still tells out
  // of which slot it came.
  tlsrig_result handshake() noexcept { return table_->handshake(session_); }
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    return table_->read(session_, data, capacity, &size);
  }
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    return table_->write(session_, data, size, &written);
  }
  tlsrig_result shutdown() noexcept { return table_->shutdown(session_); }

  // As read and write, for capacity and size of 1 or more. OK with a size that cannot be (none, or more than there is
  // room for or was given) is an ERROR: what follows would look at memory that nobody has written.
  tlsrig_result checked_read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    const tlsrig_result result = read(data, capacity, size);
    if (result == TLSRIG_OK && size - 1 >= capacity) [[unlikely]]
      return impossible("read", size, capacity);
    return result;
  }
  tlsrig_result checked_write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    const tlsrig_result result = write(data, size, written);
    if (result == TLSRIG_OK && written - 1 >= size) [[unlikely]]
      return impossible("write", written, size);
    return result;
  }

  // What the handshake settled; after handshake was OK only. Strings live until the session is gone.
  tlsrig_facts describe() const noexcept;

  const tlsrig_error& error() const { return *error_; }
  tlsrig_session* get() const { return session_; }

 private:
  friend class Resumption;  // opens sessions that offer a ticket
  Session(const tlsrig_backend& table, tlsrig_session* opened, tlsrig_error& error)
      : table_(&table), session_(opened), error_(&error) {}

  [[gnu::cold]] tlsrig_result impossible(const char* slot, std::size_t size, std::size_t limit) noexcept;

  const tlsrig_backend* table_;
  tlsrig_session* session_;
  tlsrig_error* error_;
};

}  // namespace tlsrig::host
