// From a backend's answer to create_context or open to the exceptions of this box.
#pragma once

#include <string>
#include <string_view>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::host {

// An error that says nothing yet: what a backend is given to write into.
tlsrig_error no_error();

// The words of an error, whatever the backend left in it: its text, else its kind and numbers.
std::string error_words(const tlsrig_error& error);

// Throws Unsupported or SetupError unless the slot answered OK and gave an object.
void throw_unless_made(std::string_view backend, std::string_view slot, tlsrig_result result, const void* object,
                       const tlsrig_error& error);

}  // namespace tlsrig::host
