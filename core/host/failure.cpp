// From a backend's answer to create_context or open to the exceptions of this box.
#include "failure.hpp"

#include <cstring>

#include <fmt/format.h>
#include <tlsrig/host/context.hpp>

namespace tlsrig::host {

namespace {

std::string_view kind_words(std::int32_t kind) {
  switch (kind) {
    case TLSRIG_ERROR_TRUNCATED:
      return "the transport ended before close_notify";
    case TLSRIG_ERROR_ALERT:
      return "the peer sent a fatal alert";
    case TLSRIG_ERROR_PROTOCOL:
      return "the peer broke the protocol, or nothing in common could be agreed";
    case TLSRIG_ERROR_CERTIFICATE:
      return "the peer's certificate was refused";
    case TLSRIG_ERROR_SYSTEM:
      return "a system call failed";
    case TLSRIG_ERROR_CONFIG:
      return "the configuration is wrong";
    default:
      return "an error without words";
  }
}

}  // namespace

tlsrig_error no_error() {
  tlsrig_error error{};
  error.alert = -1;
  return error;
}

std::string error_words(const tlsrig_error& error) {
  const std::string text(error.text, ::strnlen(error.text, sizeof error.text));
  if (!text.empty()) return text;
  std::string words(kind_words(error.kind));
  if (error.alert >= 0) words += fmt::format(", alert {}", error.alert);
  if (error.code != 0) words += fmt::format(", code {}", error.code);
  return words;
}

void throw_unless_made(std::string_view backend, std::string_view slot, tlsrig_result result, const void* object,
                       const tlsrig_error& error) {
  if (result == TLSRIG_OK && object) return;
  tlsrig_error copy = error;
  if (result == TLSRIG_UNSUPPORTED) throw Unsupported(fmt::format("{}: {}", backend, error_words(copy)));
  if (result == TLSRIG_ERROR) throw SetupError(fmt::format("{}: {}", backend, error_words(copy)), copy);
  copy.kind = TLSRIG_ERROR_OTHER;
  const std::string text = result == TLSRIG_OK ? fmt::format("{}: {} answered OK and gave nothing", backend, slot)
                                               : fmt::format("{}: {} answered {}; OK, ERROR or UNSUPPORTED is allowed",
                                                             backend, slot, result);
  throw SetupError(text, copy);
}

}  // namespace tlsrig::host
