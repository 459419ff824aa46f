// The extension tlsrig.resumption/1 of a backend, with owners for tickets and for the sessions that offer them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <tlsrig/abi/resumption.h>
#include <tlsrig/host/session.hpp>

namespace tlsrig::host {

// A ticket or session of a backend's own, for one use; empty: none. The backend must outlive it. [any thread]
class Ticket {
 public:
  Ticket() = default;
  Ticket(Ticket&& other) noexcept : table_(other.table_), ticket_(std::exchange(other.ticket_, nullptr)) {}
  Ticket& operator=(Ticket&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(ticket_, other.ticket_);
    return *this;
  }
  ~Ticket() {
    if (ticket_) table_->release(ticket_);
  }

  explicit operator bool() const { return ticket_ != nullptr; }

 private:
  friend class Resumption;
  Ticket(const tlsrig_resumption* table, tlsrig_ticket* ticket) : table_(table), ticket_(ticket) {}

  const tlsrig_resumption* table_ = nullptr;
  tlsrig_ticket* ticket_ = nullptr;
};

// Cheap to copy; looked up once, not per session.
class Resumption {
 public:
  // Empty where the backend does not offer it.
  static std::optional<Resumption> of(const Backend& backend);

  // What a client session has read, as resumption.h says; `ticket` is written on OK only, what it held is released.
  tlsrig_result take(tlsrig_session* session, Ticket& ticket) const noexcept;

  // As Session's constructor, offering a ticket that is not empty and is empty afterwards, whatever comes of it.
  Session open(const Context& context, const tlsrig_transport& transport, const char* server_name, Ticket&& ticket,
               tlsrig_error& error) const;

  // Tickets that a client session has read so far.
  std::uint32_t tickets_received(tlsrig_session* session) const noexcept { return table_->tickets_received(session); }

 private:
  explicit Resumption(const tlsrig_resumption* table) : table_(table) {}
  const tlsrig_resumption* table_;
};

}  // namespace tlsrig::host
