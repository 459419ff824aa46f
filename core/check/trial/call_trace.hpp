// The calls that a plugin gets in a step, the latest ones, in memory that outlives the step's process: what was called,
// with what, and what came of it; and which call has not come back.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/host/call_log.hpp>

namespace tlsrig::check {

// A wire's two windows at one moment; all zero over a socket.
struct WindowState {
  std::uint64_t in_size = 0, in_used = 0, out_size = 0, out_used = 0;
  bool wire = false, in_ended = false;
};

struct TracedCall {
  std::uint64_t number = 0;               // from 1 in its step; 0: none
  std::int64_t begin_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC; end 0: it has not come back
  char slot[32] = {};
  char who[16] = {};  // "client"
  std::uint64_t size = 0, got = 0;
  std::int32_t result = 0;
  WindowState before, after;
  std::uint64_t repeated = 0;  // times that the same call gave the same answer and moved nothing, after it

  bool came_back() const { return end_ns != 0; }
};

// What lies in the shared memory. One entry is written by one thread at a time, and may be read meanwhile.
struct CallRing {
  static constexpr std::size_t size = 1024;
  struct Entry {
    std::atomic<std::uint64_t> number{0};  // 0 while the call is being entered
    std::atomic<std::int64_t> end_ns{0};   // set behind all that is known at the end
    TracedCall call;
  };

  void clear();

  std::atomic<std::uint64_t> count{0};
  Entry entries[size];
};

// Writes into a ring, which outlives it. [any thread]
class CallTrace final : public host::CallLog {
 public:
  explicit CallTrace(CallRing& ring) : ring_(&ring) {}
  std::size_t begin(const host::CallBegin& call) noexcept override;
  void end(std::size_t call, tlsrig_result result, std::size_t got, const tlsrig_wire* wire) noexcept override;
  void pause(bool paused) noexcept override { paused_ = paused; }

 private:
  CallRing* ring_;
  std::atomic<bool> paused_{false};
};

// The calls that the ring still holds, oldest first. Of those that were repeated in vain the first one stands for all.
std::vector<TracedCall> latest_calls(const CallRing& ring);

// The oldest call that has not come back. Cheap: it is asked for again and again.
std::optional<TracedCall> call_under_way(const CallRing& ring);

// "client read(), call 17"; "start()". For a call of nobody's its slot alone.
std::string name_of(const TracedCall& call);

// "#17 client read, 16384 bytes, in 0 of 517 used, out 0 of 65536 used -> OK, 100 bytes; in 517, out 0 used; 12 µs".
std::string line_of(const TracedCall& call);

}  // namespace tlsrig::check
