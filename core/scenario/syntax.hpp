// Syntax errors in the words of a scenario's user: the TOML library tells a position and no key.
#pragma once

#include <string>
#include <string_view>

namespace tlsrig::scenario {

struct SyntaxFault {
  unsigned line = 0, column = 0;
  std::string key;  // dotted; empty when the line has none
  std::string message;
};

// text: the whole file; line, column and description as the library gave them.
SyntaxFault explain_syntax(std::string_view text, unsigned line, unsigned column, std::string_view description);

}  // namespace tlsrig::scenario
