// The memory of staged calls.
#include <tlsrig/workloads/engine/staging.hpp>

namespace tlsrig::workloads {

void BufferPool::grow(std::size_t size_class) {
  owned_.emplace_back(small_size << size_class, page_offset_);
  give_back(owned_.back().data(), owned_.back().size());
}

Staging::Staging(Buffers policy, const Layout& layout, std::size_t payload_most)
    : pool_(layout.page_offset(Purpose::pool)) {
  if (policy != Buffers::bounce) return;
  for (measure::PlacedBuffer& buffer : bounce_)
    buffer = layout.make(Purpose::bounce, records_place(payload_most) + records_room(payload_most));
}

}  // namespace tlsrig::workloads
