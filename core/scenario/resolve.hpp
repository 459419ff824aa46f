// From what was said to what holds: defaults, --quick, and what an arm's backend and the policy decide.
#pragma once

#include <tlsrig/scenario/collect.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::scenario {

// The settings of the file before any axis: defaults, what was said, and -r, --seed and --quick over it.
Settings base_settings(const Draft& draft, const Overrides& overrides);

// Puts the arm's backend into the roles ("backend", and every role when it is plaintcp), empties what the policy leaves
// to the library, and fills in the cipher.
void resolve_arm(Settings& settings, std::string_view backend);

// The suite for version and certificate when none was said.
void resolve_cipher(TlsSettings& tls);

// Whether the key names the far end of a plain leg, which is plaintcp whatever the key says.
bool is_behind_plain_leg(std::string_view path, const RelaySettings& relay);

// False when changing the key would change nothing for these (resolved) settings.
bool has_effect(std::string_view path, const Settings& settings);

// The same for any of the keys that an axis sets.
bool has_effect(const Axis& axis, const Settings& settings);

}  // namespace tlsrig::scenario
