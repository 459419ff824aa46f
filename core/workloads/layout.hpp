// Where the buffers of a workload lie. The offset of a buffer follows from the block's seed and its purpose alone, so
// that every arm of a block, and both ends of a connection, have the same placement.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tlsrig/measure/placement.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

enum class Purpose : std::uint32_t { message, receive, wire_in, wire_out, bounce, pool, gather };

class Layout {
 public:
  explicit Layout(std::uint64_t placement_seed) : seed_(placement_seed) {}

  std::size_t page_offset(Purpose purpose) const {
    return measure::page_offset(seed_, static_cast<std::uint32_t>(purpose));
  }

  measure::PlacedBuffer make(Purpose purpose, std::size_t size) const { return {size, page_offset(purpose)}; }

  // {"message": page offset, ...}, of the buffers that every workload has.
  Json to_json() const;

 private:
  std::uint64_t seed_;
};

}  // namespace tlsrig::workloads
