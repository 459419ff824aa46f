// Moving bytes between a library and the two windows of a wire.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::sdk {

// Bytes of input not yet used.
inline std::size_t available(const tlsrig_wire& wire) noexcept { return wire.in_size - wire.in_used; }

// Bytes of room for output.
inline std::size_t room(const tlsrig_wire& wire) noexcept { return wire.out_size - wire.out_used; }

// Moves up to `capacity` bytes of input to `data`; returns how many.
inline std::size_t take(tlsrig_wire& wire, void* data, std::size_t capacity) noexcept {
  const std::size_t size = std::min(capacity, available(wire));
  if (size) std::memcpy(data, wire.in + wire.in_used, size);
  wire.in_used += size;
  return size;
}

// Moves up to `size` bytes of `data` to the output; returns how many found room.
inline std::size_t put(tlsrig_wire& wire, const void* data, std::size_t size) noexcept {
  const std::size_t taken = std::min(size, room(wire));
  if (taken) std::memcpy(wire.out + wire.out_used, data, taken);
  wire.out_used += taken;
  return taken;
}

}  // namespace tlsrig::sdk
