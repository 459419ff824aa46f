// The bytes of one direction between two ends, as the bench holds them: what makes pieces, back-pressure, delay and a
// cut stream the same for wires and sockets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tlsrig::check {

inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

class Flow {
 public:
  std::size_t piece = unlimited;  // most bytes delivered at once
  std::size_t limit = unlimited;  // most bytes held: beyond, the sender is blocked
  bool held = false;              // nothing is delivered, the end neither
  bool ended = false;             // nothing follows what is held
  bool altered = false;           // what was sent is not what is delivered

  std::size_t waiting() const { return bytes_.size() - delivered_; }
  std::size_t room() const { return limit > waiting() ? limit - waiting() : 0; }
  std::size_t total() const { return bytes_.size(); }
  bool at_end() const { return ended && !held && waiting() == 0; }

  // Every byte that was ever sent, delivered or not.
  std::span<const std::uint8_t> history() const { return bytes_; }

  void put(std::span<const std::uint8_t> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  // What may be delivered now; valid until the next put.
  std::span<const std::uint8_t> next() const {
    return std::span(bytes_).subspan(delivered_, held ? 0 : std::min(piece, waiting()));
  }
  void deliver(std::size_t size) { delivered_ += size; }

  // Forgets the last `size` bytes that were not delivered yet.
  void cut(std::size_t size) {
    altered = true;
    bytes_.resize(bytes_.size() - std::min(size, waiting()));
  }

  // Puts other bytes in the place of all that was not delivered yet.
  void replace_waiting(std::span<const std::uint8_t> bytes) {
    altered = true;
    bytes_.resize(delivered_);
    put(bytes);
  }

  // What was not delivered yet; valid until the next put.
  std::span<const std::uint8_t> undelivered() const { return std::span(bytes_).subspan(delivered_); }

  // Changes the last byte, which was not delivered yet.
  void flip_last_byte() {
    altered = true;
    bytes_.back() ^= 1;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t delivered_ = 0;
};

}  // namespace tlsrig::check
