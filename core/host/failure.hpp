// What a tlsrig_error is called in words, and the way from a backend's answer to create_context or open to the
// exceptions of this box.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::host {

// An error that says nothing yet: what a backend is given to write into.
tlsrig_error no_error();

// "truncated", "alert"...: the kind of an error as reports spell it; "other" for an unknown number too.
std::string_view kind_name(std::int32_t kind);

// The words of an error, whatever the backend left in it: its text, else its kind and code; and the alert, if any.
std::string error_words(const tlsrig_error& error);

// Fills the error: an exception with this text left the slot.
void tell_exception(const char* slot, const char* text, tlsrig_error& error) noexcept;

// Calls a slot. An exception that it lets out becomes ERROR, with words that name the slot.
template <class Call>
tlsrig_result without_exceptions(const char* slot, tlsrig_error& error, Call&& call) noexcept {
  try {
    return call();
  } catch (const std::exception& exception) {
    tell_exception(slot, exception.what(), error);
  } catch (...) {
    tell_exception(slot, "it is not a std::exception", error);
  }
  return TLSRIG_ERROR;
}

// Throws Unsupported or SetupError unless the slot answered OK and gave an object.
void throw_unless_made(std::string_view backend, std::string_view slot, tlsrig_result result, const void* object,
                       const tlsrig_error& error);

}  // namespace tlsrig::host
