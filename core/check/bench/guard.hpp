// Guard bytes on both sides of a buffer or struct that a backend writes to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tlsrig::check {

inline constexpr std::size_t guard_size = 16;
inline constexpr std::uint8_t guard_byte = 0xA7;
inline constexpr std::uint8_t scribble = 0xDD;  // what memory holds that no one may look at any more

inline std::vector<std::uint8_t> guarded_buffer(std::size_t size) {
  return std::vector<std::uint8_t>(guard_size + size + guard_size, guard_byte);
}

// "before it", "behind it", or nullptr when no guard byte of the buffer was overwritten.
inline const char* broken_guard(const std::vector<std::uint8_t>& buffer) {
  const auto intact = [](std::uint8_t byte) { return byte == guard_byte; };
  if (!std::all_of(buffer.begin(), buffer.begin() + guard_size, intact)) return "before it";
  return std::all_of(buffer.end() - guard_size, buffer.end(), intact) ? nullptr : "behind it";
}

// A struct of the contract between guard bytes: a backend that was compiled with a larger one writes into them.
template <class Struct>
class Guarded {
 public:
  Guarded() {
    before_.fill(guard_byte);
    after_.fill(guard_byte);
  }
  Struct* operator->() { return &value_; }
  const Struct* operator->() const { return &value_; }
  Struct& operator*() { return value_; }
  const Struct& operator*() const { return value_; }

  bool intact() const {
    const auto is_guard = [](std::uint8_t byte) { return byte == guard_byte; };
    return std::all_of(before_.begin(), before_.end(), is_guard) && std::all_of(after_.begin(), after_.end(), is_guard);
  }

 private:
  std::array<std::uint8_t, guard_size> before_;
  Struct value_{};
  std::array<std::uint8_t, guard_size> after_;
};

}  // namespace tlsrig::check
