// Bytes that this process has allocated, for steps about what is freed.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <optional>

#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {

// As the C library's allocator counts them; blocks that it keeps for reuse are among them. Nothing where a sanitizer
// has an allocator of its own, or another one was preloaded.
inline std::optional<std::size_t> told_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::nullopt;
#else
  const struct mallinfo2 information = mallinfo2();
  const std::size_t bytes = information.uordblks + information.hblkhd;  // heap and blocks of their own mappings
  return bytes ? std::optional(bytes) : std::nullopt;
#endif
}

// The same, for a step that cannot do without: where they are not told, it is skipped.
inline std::size_t allocated_bytes() {
  const std::optional<std::size_t> bytes = told_bytes();
  if (!bytes) skip("the allocator in use, a sanitizer's or a preloaded one, does not tell how much is allocated");
  return *bytes;
}

}  // namespace tlsrig::check
