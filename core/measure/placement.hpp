// Buffers placed on purpose: page-aligned plus an offset that is drawn from a seed. A copy of 4 KiB or more whose
// source and destination page offsets differ by 1 to 16 bytes is 20 to 40 times slower on AMD Zen 3 (glibc bug 30994),
// so where a buffer lies must be the same for all arms of a block and must change from block to block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tlsrig::measure {

class PlacedBuffer {
 public:
  PlacedBuffer() = default;
  // size bytes that begin page_offset (0..4095) bytes after a page's start; zeroed, so every page is touched.
  PlacedBuffer(std::size_t size, std::size_t page_offset);

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::uint8_t> span() { return {data_, size_}; }

 private:
  struct Free {
    void operator()(void* pointer) const;
  };
  std::unique_ptr<void, Free> memory_;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

// The page offset of the buffer called `purpose` in the block with this seed: a multiple of 64 (a cache line), the same
// in every process that asks.
std::size_t page_offset(std::uint64_t placement_seed, std::uint32_t purpose);

}  // namespace tlsrig::measure
