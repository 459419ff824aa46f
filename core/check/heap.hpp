// Bytes that this process has allocated, for steps about what is freed.
#pragma once

#include <malloc.h>

#include <cstddef>

#include <tlsrig/check/judgement.hpp>

namespace tlsrig::check {

// As the C library's allocator counts them; blocks that it keeps for reuse are among them. Skips the step where a
// sanitizer has an allocator of its own, or another one was preloaded.
inline std::size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("a sanitizer keeps the heap");
#else
  const struct mallinfo2 information = mallinfo2();
  const std::size_t bytes = information.uordblks + information.hblkhd;  // heap and blocks of their own mappings
  if (bytes == 0) skip("the allocator in use does not tell how much is allocated");
  return bytes;
#endif
}

}  // namespace tlsrig::check
