// What the settings say of how a relay reads and how much it holds.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tlsrig/scenario/settings.hpp>
#include <tlsrig/workloads/layout.hpp>

namespace tlsrig::workloads {

using scenario::RelayRead;

struct RelayShape {
  RelayRead read = RelayRead::per_record;
  std::size_t read_size = 0;     // bytes asked of one read
  std::size_t gathered_max = 0;  // bytes that are read before they are written on, at most
  Layout layout{0};
};

// Reading until nothing is left would let a fast source keep a connection's turn for ever and fill the memory.
inline constexpr std::size_t drained_max = 192 * 1024;

inline std::size_t gathered_max(RelayRead read, std::size_t read_size) {
  return read == RelayRead::drain ? std::min(16 * read_size, drained_max) : read_size;
}

}  // namespace tlsrig::workloads
