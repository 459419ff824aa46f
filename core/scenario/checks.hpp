// Faults that no single key has: keys that do not go together.
#pragma once

#include <functional>

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

// Keys that are missing, and those that hold for the whole file.
void check_file(const Draft& draft, const Settings& base, const Overrides& overrides, Diagnostics& diagnostics);

// One arm. said: before its backend was put in; resolved: after. place_of: where an arm's value of a key was said; a
// place without line and flag for a default.
struct ArmCheck {
  const Settings& said;
  const Settings& resolved;
  std::string_view backend;
  std::function<Place(std::string_view path)> place_of;
};

void check_arm(const ArmCheck& arm, const Draft& draft, Diagnostics& diagnostics);

}  // namespace tlsrig::scenario
