// The reference of all keys, as Markdown.
#pragma once

#include <string>

namespace tlsrig::scenario {

// A heading and a table of keys for each table of a scenario file: what scenarios/README.md contains word for word.
std::string key_reference();

}  // namespace tlsrig::scenario
