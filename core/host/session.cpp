// Opening a session through a backend's table, and asking what its handshake settled.
#include <tlsrig/host/session.hpp>

#include <cstdio>

#include <tlsrig/host/failure.hpp>

namespace tlsrig::host {

Session::Session(const Context& context, const tlsrig_transport& transport, const char* server_name,
                 tlsrig_error& error)
    : table_(&context.backend().table()), session_(nullptr), error_(&error) {
  error = no_error();
  const tlsrig_result result = without_exceptions(
      "open", error, [&] { return table_->open(context.get(), &transport, server_name, &session_, error_); });
  if (result != TLSRIG_OK) session_ = nullptr;
  throw_unless_made(context.backend().name(), "open", result, session_, error);
}

tlsrig_facts Session::describe() const noexcept {
  tlsrig_facts facts{};
  facts.struct_size = sizeof facts;
  table_->describe(session_, &facts);
  return facts;
}

tlsrig_result Session::impossible(const char* slot, std::size_t size, std::size_t limit) noexcept {
  *error_ = no_error();
  std::snprintf(error_->text, sizeof error_->text, "%s answered OK with %zu bytes; the contract allows 1 to %zu", slot,
                size, limit);
  return TLSRIG_ERROR;
}

}  // namespace tlsrig::host
