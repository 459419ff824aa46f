// Numbers as messages spell them.
#pragma once

#include <cstdint>
#include <string>

namespace tlsrig::host {

// 8513 as "8,513".
inline std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace tlsrig::host
