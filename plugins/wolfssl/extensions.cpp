// What sessions of wolfSSL can do beyond the table of the contract. There is no key log: Debian's library has none,
// though its header declares one.
#include <cstring>

#include <tlsrig/sdk/extensions.hpp>

#include "session.hpp"

namespace tlsrig::wolfssl {

const void* Context::extension(const char* name) noexcept {
  static constexpr tlsrig_resumption resumption = sdk::resumption_table<Context, Session>();
  static constexpr tlsrig_pending pending = sdk::pending_table<Context, Session>();
  if (std::strcmp(name, TLSRIG_RESUMPTION) == 0) return &resumption;
  if (std::strcmp(name, TLSRIG_PENDING) == 0) return &pending;
  return nullptr;
}

int Session::on_ticket(WOLFSSL*, const unsigned char*, int, void* self) {
  auto& session = *static_cast<Session*>(self);
  ++session.tickets_;
  session.untaken_ticket_ = true;
  return 0;
}

// The library holds the newest ticket alone, inside its session, where the next one would overwrite it: what is taken
// is a copy. In TLS 1.2 the session stays usable, and every call gives it again.
std::unique_ptr<Ticket> Session::take() {
  if (!context_.keeps_tickets) return nullptr;
  if (wolfSSL_version(ssl_.get()) == TLS1_3_VERSION && !std::exchange(untaken_ticket_, false)) return nullptr;
  const OwnedSession session(wolfSSL_get1_session(ssl_.get()));
  if (!session || !wolfSSL_SESSION_is_resumable(session.get())) return nullptr;
  auto ticket = std::make_unique<Ticket>();
  ticket->session.reset(wolfSSL_SESSION_dup(session.get()));
  if (!ticket->session) throw sdk::Failure(TLSRIG_ERROR_OTHER, "wolfSSL_SESSION_dup failed");
  return ticket;
}

Session::Session(Context& context, const tlsrig_transport& transport, const char* server_name,
                 std::unique_ptr<Ticket> ticket, tlsrig_error& error)
    : Session(context, transport, server_name, error) {
  if (context.server)
    throw sdk::Failure(TLSRIG_ERROR_CONFIG, "a server offers no ticket: needed is a client's context");
  if (wolfSSL_set_session(ssl_.get(), ticket->session.get()) != WOLFSSL_SUCCESS)
    throw sdk::Failure(TLSRIG_ERROR_CONFIG, "wolfSSL_set_session refused the ticket: it has expired");
}

}  // namespace tlsrig::wolfssl
