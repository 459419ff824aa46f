// An effective scenario as its author would write it.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// TOML that says the same as the result's "effective"; what no scenario file may have (quick, filter) and what TOML
// cannot hold (null) become comments; the list of changed keys is left out. JSON would be as exact, but could not be
// saved and run again.
std::string scenario_text(const Json& effective);

}  // namespace tlsrig::report::html
