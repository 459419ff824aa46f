// Filling and comparing the payload pattern, eight bytes at a time.
#include <tlsrig/workloads/pattern.hpp>

#include <cstring>

namespace tlsrig::workloads {

namespace {

// Calls single(i) for the bytes before the first and after the last whole word of the stream, eight(i) for each whole
// word, in order, until one of them answers false.
template <class Single, class Eight>
bool walk(std::size_t size, std::uint64_t offset, Single&& single, Eight&& eight) {
  std::size_t i = 0;
  for (; i < size && (offset + i) % 8 != 0; ++i)
    if (!single(i)) return false;
  for (; i + 8 <= size; i += 8)
    if (!eight(i)) return false;
  for (; i < size; ++i)
    if (!single(i)) return false;
  return true;
}

std::uint64_t little_endian(std::uint64_t value) {
  if constexpr (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) return __builtin_bswap64(value);
  return value;
}

}  // namespace

Pattern::Pattern(std::uint32_t connection, Direction direction)
    // Streams lie 2^44 words apart: none reaches into the next.
    : key_((std::uint64_t{connection} * 2 + static_cast<std::uint32_t>(direction)) << 44) {}

void Pattern::fill(std::span<std::uint8_t> data, std::uint64_t offset) const noexcept {
  walk(
      data.size(), offset,
      [&](std::size_t i) {
        data[i] = byte(offset + i);
        return true;
      },
      [&](std::size_t i) {
        const std::uint64_t value = little_endian(word((offset + i) / 8));
        std::memcpy(&data[i], &value, sizeof value);
        return true;
      });
}

std::optional<std::size_t> Pattern::mismatch(std::span<const std::uint8_t> data, std::uint64_t offset) const noexcept {
  std::size_t place = 0;
  const auto same = [&](std::size_t i) {
    place = i;
    return data[i] == byte(offset + i);
  };
  const bool equal = walk(data.size(), offset, same, [&](std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, &data[i], sizeof value);
    if (value == little_endian(word((offset + i) / 8))) return true;
    for (std::size_t k = i; k < i + 8 && same(k); ++k) {
    }
    return false;
  });
  if (equal) return std::nullopt;
  return place;
}

}  // namespace tlsrig::workloads
