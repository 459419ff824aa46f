// What a tlsrig_error is called in words, and the way from a backend's answer to create_context or open to the
// exceptions of this box.
#pragma once

#include <cstdint>
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

// Throws Unsupported or SetupError unless the slot answered OK and gave an object.
void throw_unless_made(std::string_view backend, std::string_view slot, tlsrig_result result, const void* object,
                       const tlsrig_error& error);

}  // namespace tlsrig::host
