// What one role put on the wire and how often it called the kernel for it, over all its connections. Records are
// counted in the warm-up alone, where their headers are read; calls and bytes over the measured slices alone, where
// nobody reads. So each has a number of operations of its own to be divided by.
#pragma once

#include <cstdint>
#include <optional>

#include <tlsrig/net/counted_calls.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

// Up to an instant.
struct WireCounts {
  net::SocketCounts calls;
  std::optional<std::uint64_t> records_in = 0, records_out = 0;  // empty: no records could be read
  bool complete = true;  // every byte that was moved went through a counted call

  WireCounts& operator+=(const WireCounts& other) {
    calls += other.calls;
    records_in = sum(records_in, other.records_in);
    records_out = sum(records_out, other.records_out);
    complete = complete && other.complete;
    return *this;
  }

 private:
  static std::optional<std::uint64_t> sum(std::optional<std::uint64_t> left, std::optional<std::uint64_t> right) {
    if (!left || !right) return std::nullopt;
    return *left + *right;
  }
};

// Marks of a life.
struct RoleCounts {
  struct Mark {
    WireCounts wire;
    std::uint64_t operations = 0;  // that this role brought to an end
  };
  Mark warm_up_begin, warm_up_end;
  Mark measured_begin, measured_end;  // what runs unmeasured behind the warm-up lies before it

  // {"warmup_operations", "records_in", "records_out", "operations", "reads", "writes", "bytes_in", "bytes_out"}.
  // Records are null when they could not be read; but for operations all are null when calls went round those that are
  // counted.
  Json to_json() const;
};

}  // namespace tlsrig::workloads
