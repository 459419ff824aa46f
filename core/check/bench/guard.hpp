// Guard bytes on both sides of a buffer that a backend writes to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tlsrig::check {

inline constexpr std::size_t guard_size = 16;
inline constexpr std::uint8_t guard_byte = 0xA7;
inline constexpr std::uint8_t scribble = 0xDD;  // what memory holds that no one may look at any more

inline std::vector<std::uint8_t> guarded_buffer(std::size_t size) {
  return std::vector<std::uint8_t>(guard_size + size + guard_size, guard_byte);
}

inline bool guards_intact(const std::vector<std::uint8_t>& buffer) {
  const auto intact = [](std::uint8_t byte) { return byte == guard_byte; };
  return std::all_of(buffer.begin(), buffer.begin() + guard_size, intact) &&
         std::all_of(buffer.end() - guard_size, buffer.end(), intact);
}

}  // namespace tlsrig::check
