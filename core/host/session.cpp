// Opening a session through a backend's table, and asking what its handshake settled.
#include <tlsrig/host/session.hpp>

#include <tlsrig/host/failure.hpp>

namespace tlsrig::host {

Session::Session(const Context& context, const tlsrig_transport& transport, const char* server_name,
                 tlsrig_error& error)
    : table_(&context.backend().table()), session_(nullptr), error_(&error) {
  error = no_error();
  const tlsrig_result result = table_->open(context.get(), &transport, server_name, &session_, error_);
  if (result != TLSRIG_OK) session_ = nullptr;
  throw_unless_made(context.backend().name(), "open", result, session_, error);
}

tlsrig_facts Session::describe() const {
  tlsrig_facts facts{};
  facts.struct_size = sizeof facts;
  table_->describe(session_, &facts);
  return facts;
}

}  // namespace tlsrig::host
