// What set-up code of a backend may throw, and how errors are filled. The slots catch whatever is thrown.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::sdk {

// The library cannot do what the configuration asks: skipped by name, not failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Set-up failed: kind is TLSRIG_ERROR_*, code the library's own.
struct Failure : std::runtime_error {
  Failure(std::int32_t kind_, const std::string& text, std::int64_t code_ = 0)
      : std::runtime_error(text), kind(kind_), code(code_) {}
  std::int32_t kind;
  std::int64_t code;
};

// Fills an error; text is cut to its 239 bytes. Does not allocate.
inline void set_error(tlsrig_error& error, std::int32_t kind, std::int64_t code, std::int32_t alert,
                      const char* text) noexcept {
  error.kind = kind;
  error.alert = alert;
  error.code = code;
  std::snprintf(error.text, sizeof error.text, "%s", text ? text : "");
}

// Fills an error of kind SYSTEM from an errno, in the words of the C library. Any thread; does not allocate.
inline void set_system_error(tlsrig_error& error, int number) noexcept {
  char buffer[128];
  set_error(error, TLSRIG_ERROR_SYSTEM, number, -1, strerror_r(number, buffer, sizeof buffer));
}

}  // namespace tlsrig::sdk
