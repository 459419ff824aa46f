// A session of wolfSSL.
#pragma once

#include "context.hpp"
#include "output.hpp"
#include "resumption.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tlsrig::wolfssl {

// wolfSSL 5.5 dies when a send callback takes only a part of a TLS 1.3 handshake message, and repeats a close_notify
// wrongly. So its bytes go to an Output, which always takes all, and the session answers WANT_WRITE until that is
// empty. Application data over an fd alone takes the library's own way to the socket, which survives interruption
// there.
class Session {
 public:
  using Ticket = wolfssl::Ticket;

  Session(Context& context, const tlsrig_transport& transport, const char* server_name, tlsrig_error& error);
  Session(Context& context, const tlsrig_transport& transport, const char* server_name, std::unique_ptr<Ticket> ticket,
          tlsrig_error& error);
  Session(const Session&) = delete;

  tlsrig_result handshake() noexcept;
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept;
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept;
  tlsrig_result shutdown() noexcept;
  void describe(tlsrig_facts& facts) noexcept;

  // The extensions; defined in extensions.cpp.
  std::unique_ptr<Ticket> take();
  std::uint32_t tickets_received() const noexcept { return tickets_; }
  std::size_t pending() noexcept { return static_cast<std::size_t>(wolfSSL_pending(ssl_.get())); }

 private:
  static int on_receive(WOLFSSL*, char* data, int capacity, void* self);
  static int on_send(WOLFSSL*, char* data, int size, void* self);
  static int on_ticket(WOLFSSL*, const unsigned char* ticket, int size, void* self);
  void name_server(const char* server_name);
  void send_through_output() noexcept;
  void send_by_library() noexcept;
  tlsrig_result flush() noexcept;
  tlsrig_result settle(int result) noexcept;
  tlsrig_result last_words() noexcept;

  const Context& context_;
  tlsrig_error& error_;
  tlsrig_wire* const wire_;  // nullptr: over fd_
  const int fd_;
  Output output_;
  SessionPointer ssl_;
  std::size_t taken_ = 0;             // bytes of a write that are encrypted but have not all left
  tlsrig_result failed_ = TLSRIG_OK;  // what the session ends with once its alert has left
  std::uint32_t tickets_ = 0;
  bool untaken_ticket_ = false;
  bool established_ = false;
  bool notified_ = false;
};

}  // namespace tlsrig::wolfssl
