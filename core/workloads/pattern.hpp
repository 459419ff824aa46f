// The payload that is verified: every byte depends on its connection, its direction and its offset in the stream, so
// that bytes lost, doubled, swapped or from another connection are all found, whatever the borders of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::workloads {

using scenario::Direction;

class Pattern {
 public:
  Pattern() = default;
  Pattern(std::uint32_t connection, Direction direction);

  // Writes the bytes of the stream from `offset` on.
  void fill(std::span<std::uint8_t> data, std::uint64_t offset) const noexcept;

  // The index of the first byte that differs from the stream from `offset` on; nothing when all are right.
  std::optional<std::size_t> mismatch(std::span<const std::uint8_t> data, std::uint64_t offset) const noexcept;

  std::uint8_t byte(std::uint64_t offset) const noexcept {
    return static_cast<std::uint8_t>(word(offset / 8) >> (offset % 8 * 8));
  }

 private:
  // Eight bytes of the stream. A multiplication alone would repeat its low bytes every 256 words.
  std::uint64_t word(std::uint64_t index) const noexcept {
    std::uint64_t value = (key_ + index) * 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
  }

  std::uint64_t key_ = 0;
};

}  // namespace tlsrig::workloads
