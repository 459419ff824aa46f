// What reading the clock takes.
#include <tlsrig/workloads/engine/watch.hpp>

#include <array>

namespace tlsrig::workloads {

namespace {

// The median of many: some readings are interrupted.
std::int64_t clock_reading_ns() {
  std::array<std::int64_t, 1001> readings;
  std::int64_t last = measure::now_ns();
  for (std::int64_t& reading : readings) {
    const std::int64_t now = measure::now_ns();
    reading = now - last;
    last = now;
  }
  const auto middle = readings.begin() + readings.size() / 2;
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

}  // namespace

SideMeter::SideMeter() : clock_ns_(clock_reading_ns()) {}

}  // namespace tlsrig::workloads
