// Buffers placed on purpose.
#include <tlsrig/measure/placement.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

#include <tlsrig/measure/mix.hpp>

namespace tlsrig::measure {

namespace {

constexpr std::size_t page_size = 4096;
constexpr std::size_t cache_line_size = 64;

}  // namespace

PlacedBuffer::PlacedBuffer(std::size_t size, std::size_t page_offset) : size_(size) {
  const std::size_t whole_pages = (page_offset + size + page_size - 1) / page_size * page_size;
  memory_.reset(std::aligned_alloc(page_size, whole_pages ? whole_pages : page_size));
  if (!memory_) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(memory_.get()) + page_offset;
  std::memset(data_, 0, size);
}

void PlacedBuffer::Free::operator()(void* pointer) const { std::free(pointer); }

std::size_t page_offset(std::uint64_t placement_seed, std::uint32_t purpose) {
  return mix(placement_seed ^ mix(purpose)) % (page_size / cache_line_size) * cache_line_size;
}

}  // namespace tlsrig::measure
