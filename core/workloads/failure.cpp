// The words that an arm fails with.
#include <tlsrig/workloads/failure.hpp>

#include <cstring>

#include <fmt/format.h>

#include <tlsrig/host/context.hpp>

namespace tlsrig::workloads {

std::string_view kind_name(std::int32_t error_kind) {
  switch (error_kind) {
    case TLSRIG_ERROR_TRUNCATED:
      return "truncated";
    case TLSRIG_ERROR_ALERT:
      return "alert";
    case TLSRIG_ERROR_PROTOCOL:
      return "protocol";
    case TLSRIG_ERROR_CERTIFICATE:
      return "certificate";
    case TLSRIG_ERROR_SYSTEM:
      return "system";
    case TLSRIG_ERROR_CONFIG:
      return "config";
    default:
      return "other";
  }
}

void fail_end(const End& end, std::string kind, std::string_view words, std::string_view step) {
  throw StepError(std::move(kind),
                  fmt::format("{} {} connection {}: {} ({})", end.backend, end.role, end.connection, words, step));
}

void fail_session(const End& end, tlsrig_result result, const tlsrig_error& error, std::string_view step) {
  std::string words(error.text, ::strnlen(error.text, sizeof error.text));
  if (words.empty()) words = fmt::format("an error of kind \"{}\" without words", kind_name(error.kind));
  if (error.alert >= 0) words += fmt::format(", alert {}", error.alert);
  if (result == TLSRIG_UNSUPPORTED) throw host::Unsupported(fmt::format("{} {}: {}", end.backend, end.role, words));
  if (result == TLSRIG_ERROR) fail_end(end, std::string(kind_name(error.kind)), words, step);
  fail_end(end, "other", fmt::format("the backend answered {}, which the contract does not allow here", result), step);
}

void fail_payload(const End& end, std::uint64_t offset, std::uint8_t expected, std::uint8_t found) {
  throw StepError("payload", fmt::format("{} {}: connection {}, offset {}: expected {:#04x}, found {:#04x}",
                                         end.backend, end.role, end.connection, offset, expected, found));
}

}  // namespace tlsrig::workloads
