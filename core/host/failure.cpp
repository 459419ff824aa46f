// What errors are called, and the exceptions of this box.
#include <tlsrig/host/failure.hpp>

#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <tlsrig/host/context.hpp>

namespace tlsrig::host {

std::string_view kind_name(std::int32_t kind) {
  static constexpr std::string_view names[] = {"other",       "truncated", "alert", "protocol",
                                               "certificate", "system",    "config"};
  return kind > TLSRIG_ERROR_OTHER && kind <= TLSRIG_ERROR_CONFIG ? names[kind] : names[TLSRIG_ERROR_OTHER];
}

tlsrig_error no_error() {
  tlsrig_error error{};
  error.alert = -1;
  return error;
}

std::string error_words(const tlsrig_error& error) {
  std::string words(error.text, ::strnlen(error.text, sizeof error.text));
  const bool silent = words.empty();
  if (silent) words = fmt::format("an error of kind \"{}\" without words", kind_name(error.kind));
  if (error.alert >= 0) words += fmt::format(", alert {}", error.alert);
  if (silent && error.code != 0) words += fmt::format(", code {}", error.code);
  return words;
}

void tell_exception(const char* slot, const char* text, tlsrig_error& error) noexcept {
  error = no_error();
  std::snprintf(error.text, sizeof error.text,
                "an exception left %s: %s; a backend catches it and answers ERROR with a text", slot, text);
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
