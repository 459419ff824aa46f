// Copies at many places, timed.
#include <tlsrig/rig/copy_alias.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/placement.hpp>
#include <tlsrig/net/socket.hpp>

namespace tlsrig::rig {

namespace {

using Json = nlohmann::ordered_json;
using measure::PlacedBuffer;

constexpr std::size_t copy_size = 65536;
constexpr double affected_from = 2;

// The least of a few: whatever disturbs a copy makes it longer.
template <class Copy>
std::int64_t shortest_ns(int tries, Copy&& copy) {
  std::int64_t shortest = INT64_MAX;
  for (int i = 0; i < tries; ++i) {
    const std::int64_t begin = measure::now_ns();
    copy();
    shortest = std::min(shortest, measure::now_ns() - begin);
  }
  return shortest;
}

double worst_to_median(std::vector<std::int64_t> times_ns) {
  std::sort(times_ns.begin(), times_ns.end());
  const double median = static_cast<double>(std::max<std::int64_t>(1, times_ns[times_ns.size() / 2]));
  return std::round(static_cast<double>(times_ns.back()) / median * 100) / 100;
}

// The destination a few bytes behind the source, and well away from it.
double memcpy_slowdown() {
  constexpr int copies = 8, tries = 8;
  const PlacedBuffer source(copy_size, 0);
  // Called through a volatile pointer: the copy under test is the C library's, not one that the compiler makes here.
  void* (*volatile copy)(void*, const void*, std::size_t) = std::memcpy;
  std::vector<std::int64_t> times_ns;
  for (const std::size_t offset : {0, 1, 4, 8, 13, 16, 64, 256, 512, 1024, 1536, 2048, 2560, 3072, 3584}) {
    PlacedBuffer destination(copy_size, offset);
    times_ns.push_back(shortest_ns(tries, [&] {
      for (int i = 0; i < copies; ++i) copy(destination.data(), source.data(), copy_size);
    }));
  }
  return worst_to_median(std::move(times_ns));
}

// Where in their pages the kernel keeps the bytes is not known, so the read buffer goes through a whole page, in steps
// that cannot miss 16 bytes. Empty: the kernel took or gave a part only.
std::optional<double> socket_slowdown() {
  constexpr std::size_t page_size = 4096, step = 8;
  constexpr int tries = 3;
  net::Listener listener{net::SocketOptions{}};
  const net::Fd writer = net::connect_local(listener.port(), {});
  const net::Fd reader = listener.accept();
  const PlacedBuffer source(copy_size, 0);
  PlacedBuffer place(copy_size + page_size, 0);
  std::vector<std::int64_t> times_ns;
  for (std::size_t offset = 0; offset < page_size; offset += step) {
    std::int64_t shortest = INT64_MAX;
    for (int i = 0; i < tries; ++i) {
      if (net::send(writer.get(), source.data(), copy_size) != static_cast<ssize_t>(copy_size)) return std::nullopt;
      ssize_t got = 0;
      shortest = std::min(shortest,
                          shortest_ns(1, [&] { got = net::receive(reader.get(), place.data() + offset, copy_size); }));
      if (got != static_cast<ssize_t>(copy_size)) return std::nullopt;
    }
    times_ns.push_back(shortest);
  }
  return worst_to_median(std::move(times_ns));
}

}  // namespace

Json copy_alias_record() {
  const double memory = memcpy_slowdown();
  std::optional<double> socket;
  try {
    socket = socket_slowdown();
  } catch (const std::system_error&) {
    // No TCP here: the run itself will say so, if it needs it.
  }
  return {{"memcpy_slowdown", memory},
          {"socket_slowdown", socket ? Json(*socket) : Json(nullptr)},
          {"affected", std::max(memory, socket.value_or(0)) >= affected_from}};
}

}  // namespace tlsrig::rig
