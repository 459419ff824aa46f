// Calls of a library that is not given the runner's buffers but other memory, out of which and into which the runner
// copies: plaintext in and records out at a write, records in and plaintext out at a read. Before and after each call
// the windows of the wire lie where they always do, on the flow; during a call they lie in that memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <tlsrig/host/session.hpp>
#include <tlsrig/workloads/layout.hpp>

namespace tlsrig::workloads {

using scenario::Buffers;

// Calls call.operator()<policy>().
template <class Call>
auto with_policy(Buffers policy, Call&& call) {
  switch (policy) {
    case Buffers::bounce:
      return call.template operator()<Buffers::bounce>();
    case Buffers::pool:
      return call.template operator()<Buffers::pool>();
    case Buffers::malloc:
      return call.template operator()<Buffers::malloc>();
    default:
      return call.template operator()<Buffers::direct>();
  }
}

// Room for the records of `size` payload bytes: of 512 bytes with the padding of the CBC suites they need less.
constexpr std::size_t records_room(std::size_t size) { return size + size / 4 + 512; }

// The memory of a call: the payload first, the records behind it on a cache line of their own.
constexpr std::size_t records_place(std::size_t payload_size) { return (payload_size + 63) / 64 * 64; }

// A pool of one thread: a free list for small buffers, and one for each power of two above. What is given back last is
// taken first. Nothing is returned to the system.
class BufferPool {
 public:
  static constexpr std::size_t small_size = 512;
  static constexpr std::size_t classes = 9;
  static constexpr std::size_t largest_size = small_size << (classes - 1);  // 128 KiB

  explicit BufferPool(std::size_t page_offset) : page_offset_(page_offset) {}

  // size: largest_size at most. Throws std::bad_alloc.
  std::uint8_t* take(std::size_t size) {
    Free*& first = free_[class_of(size)];
    if (!first) [[unlikely]]
      grow(class_of(size));
    Free* const taken = first;
    first = taken->next;
    return reinterpret_cast<std::uint8_t*>(taken);
  }

  // size: as it was taken with.
  void give_back(std::uint8_t* memory, std::size_t size) noexcept {
    Free*& first = free_[class_of(size)];
    first = new (memory) Free{first};
  }

  static constexpr std::size_t class_of(std::size_t size) {
    return size <= small_size ? 0 : static_cast<std::size_t>(std::bit_width((size - 1) / small_size));
  }

  std::size_t buffers() const { return owned_.size(); }

 private:
  struct Free {
    Free* next;
  };

  void grow(std::size_t size_class);

  const std::size_t page_offset_;
  std::array<Free*, classes> free_{};
  std::vector<measure::PlacedBuffer> owned_;
};

// What the calls of one lane get their memory from.
class Staging {
 public:
  // payload_most: of one call. Only what the policy needs is made.
  Staging(Buffers policy, const Layout& layout, std::size_t payload_most);

  // side: TLSRIG_CLIENT or TLSRIG_SERVER, whose session it is for. Throws std::bad_alloc.
  template <Buffers policy>
  std::uint8_t* take(std::int32_t side, std::size_t size) {
    if constexpr (policy == Buffers::bounce) {
      return bounce_[side == TLSRIG_SERVER].data();
    } else if constexpr (policy == Buffers::pool) {
      return pool_.take(size);
    } else {
      auto* memory = static_cast<std::uint8_t*>(std::malloc(size));
      if (!memory) throw std::bad_alloc();
      return memory;
    }
  }

  template <Buffers policy>
  void give_back(std::uint8_t* memory, std::size_t size) noexcept {
    if constexpr (policy == Buffers::pool) pool_.give_back(memory, size);
    if constexpr (policy == Buffers::malloc) std::free(memory);
  }

 private:
  std::array<measure::PlacedBuffer, 2> bounce_;  // of the client's session, of the server's
  BufferPool pool_;
};

// As Session::checked_write. room: for records, per call of the library; where they need more it is called again, as
// law 3 of the contract has it. The flow has room for all of them.
template <Buffers policy>
tlsrig_result staged_write(Staging& staging, std::int32_t side, host::Session& session, tlsrig_wire& wire,
                           const std::uint8_t* data, std::size_t size, std::size_t& written, std::size_t room) {
  std::uint8_t* const flow = wire.out;
  const std::size_t flow_size = wire.out_size;
  const std::size_t place = records_place(size), taken = place + room;
  for (;;) {
    std::uint8_t* const memory = staging.take<policy>(side, taken);
    std::memcpy(memory, data, size);
    const std::size_t before = wire.out_used;
    wire.out = memory + place;
    wire.out_size = std::min(room, flow_size - before);
    wire.out_used = 0;
    const tlsrig_result result = session.checked_write(memory, size, written);
    const std::size_t made = wire.out_used;
    if (made) std::memcpy(flow + before, memory + place, made);
    staging.give_back<policy>(memory, taken);
    wire.out = flow;
    wire.out_size = flow_size;
    wire.out_used = before + made;
    if (result != TLSRIG_WANT_WRITE || made == 0) return result;
  }
}

// As Session::checked_read. give: bytes of records that one call is shown; what it leaves is shown to the next, and a
// call that wants more is made again while the flow has some.
template <Buffers policy>
tlsrig_result staged_read(Staging& staging, std::int32_t side, host::Session& session, tlsrig_wire& wire,
                          std::uint8_t* data, std::size_t capacity, std::size_t& size, std::size_t give) {
  const std::uint8_t* const flow = wire.in;
  const std::size_t flow_size = wire.in_size;
  const std::size_t place = records_place(capacity), taken = place + give;
  for (;;) {
    std::uint8_t* const memory = staging.take<policy>(side, taken);
    const std::size_t before = wire.in_used, shown = std::min(give, flow_size - before);
    if (shown) std::memcpy(memory + place, flow + before, shown);
    wire.in = memory + place;
    wire.in_size = shown;
    wire.in_used = 0;
    const tlsrig_result result = session.checked_read(memory, capacity, size);
    const std::size_t used = wire.in_used;
    if (result == TLSRIG_OK) std::memcpy(data, memory, size);
    staging.give_back<policy>(memory, taken);
    wire.in = flow;
    wire.in_size = flow_size;
    wire.in_used = before + used;
    if (result != TLSRIG_WANT_READ || used == 0 || wire.in_used == flow_size) return result;
  }
}

}  // namespace tlsrig::workloads
