// Tickets through a backend's table.
#include <tlsrig/host/resumption.hpp>

#include <tlsrig/host/failure.hpp>

namespace tlsrig::host {

std::optional<Resumption> Resumption::of(const Backend& backend) {
  const auto* table = backend.extension<tlsrig_resumption>(TLSRIG_RESUMPTION);
  return table ? std::optional(Resumption(table)) : std::nullopt;
}

tlsrig_result Resumption::take(tlsrig_session* session, Ticket& ticket) const noexcept {
  tlsrig_ticket* taken = nullptr;
  const tlsrig_result result = table_->take(session, &taken);
  if (result == TLSRIG_OK) ticket = Ticket(table_, taken);
  return result;
}

Session Resumption::open(const Context& context, const tlsrig_transport& transport, const char* server_name,
                         Ticket&& ticket, tlsrig_error& error) const {
  error = no_error();
  tlsrig_session* session = nullptr;
  tlsrig_ticket* const offered = std::exchange(ticket.ticket_, nullptr);
  const tlsrig_result result = without_exceptions("resumption open", error, [&] {
    return table_->open(context.get(), &transport, server_name, offered, &session, &error);
  });
  if (result != TLSRIG_OK) session = nullptr;
  throw_unless_made(context.backend().name(), "resumption open", result, session, error);
  return {context.backend().table(), session, error};
}

}  // namespace tlsrig::host
