// The words that an arm fails with.
#include <tlsrig/workloads/failure.hpp>

#include <fmt/format.h>

#include <tlsrig/host/context.hpp>
#include <tlsrig/host/failure.hpp>

namespace tlsrig::workloads {

void fail_end(const End& end, std::string kind, std::string_view words, std::string_view step) {
  throw StepError(std::move(kind),
                  fmt::format("{} {} connection {}: {} ({})", end.backend, end.role, end.connection, words, step));
}

void fail_session(const End& end, tlsrig_result result, const tlsrig_error& error, std::string_view step) {
  const std::string words = host::error_words(error);
  if (result == TLSRIG_UNSUPPORTED) throw host::Unsupported(fmt::format("{} {}: {}", end.backend, end.role, words));
  if (result == TLSRIG_ERROR) fail_end(end, std::string(host::kind_name(error.kind)), words, step);
  fail_end(end, "other", fmt::format("the backend answered {}, which the contract does not allow here", result), step);
}

void fail_payload(const End& end, std::uint64_t offset, std::uint8_t expected, std::uint8_t found) {
  throw StepError("payload", fmt::format("{} {}: connection {}, offset {}: expected {:#04x}, found {:#04x}",
                                         end.backend, end.role, end.connection, offset, expected, found));
}

}  // namespace tlsrig::workloads
