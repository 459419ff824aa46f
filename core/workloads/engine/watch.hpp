// Who looks on while a lane works: nobody, a reader of records, or a clock that tells the two sides apart. The lane's
// functions are compiled once for each, so that a loop that nobody watches has not even a branch for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::workloads {

// client() and server() stand behind each stretch of work and say whose it was.
struct Unwatched {
  static constexpr bool reads_records = false;
  void client() noexcept {}
  void server() noexcept {}
};

// What goes over the flat buffers is shown to the lane's reader.
struct ReadRecords : Unwatched {
  static constexpr bool reads_records = true;
};

// Which share of an operation is the client's. Every 200 us or so an operation of the measured loop is timed where the
// sides take turns; the CPU time of a whole slice, which the system tells exactly, is then divided in that proportion.
//
// It rests on this: the timed operations are like the others (the last of a batch, which began unwatched), and
// within an operation wall time passes for both sides alike, as it does on a processor that nobody else wants. Where
// somebody does, an operation that was interrupted counts as no more than a few usual ones. Errors that stay: the
// border between the sides is blurred by as much as a processor works ahead, and the time of reading the clock, taken
// off as its median, scatters by a few nanoseconds. Both matter where a side takes less than about 200 ns: the split of
// messages over plain TCP is a rough one. What a side finds in the caches after the other had its turn is its own cost,
// as in use: in wrap-unwrap of small messages each costs more than in wrap or unwrap alone. Reading the CPU time of the
// thread at the borders would see no interruption, but is a system call, longer than a small message.
class SideMeter {
 public:
  static constexpr bool reads_records = false;

  SideMeter();

  void begin() noexcept {
    last_ns_ = measure::now_ns();
    client_ns_ = server_ns_ = 0;
  }
  void client() noexcept { client_ns_ += lap(); }
  void server() noexcept { server_ns_ += lap(); }

  // The last reading of the clock: behind the last stretch of work.
  std::int64_t last_ns() const noexcept { return last_ns_; }

  // Counts the operation. mean_ns: what those of its batch took on average.
  void end(double mean_ns) noexcept {
    least_mean_ns_ = std::min(least_mean_ns_, mean_ns);
    const auto whole_ns = static_cast<double>(client_ns_ + server_ns_);
    const double weight = std::min(1.0, longest_in_means * least_mean_ns_ / std::max(1.0, whole_ns));
    client_sum_ += weight * static_cast<double>(client_ns_);
    whole_sum_ += weight * whole_ns;
  }

  // The client's share of the operations counted since the last call: 0 to 1. One half when they took no time that the
  // clock can show.
  double take_client_share() noexcept {
    const double share = whole_sum_ > 0 ? std::clamp(client_sum_ / whole_sum_, 0.0, 1.0) : 0.5;
    client_sum_ = whole_sum_ = 0;
    return share;
  }

 private:
  // An operation that took longer than so many of the fastest batch's mean weighs no more than those.
  static constexpr double longest_in_means = 4;

  std::int64_t lap() noexcept {
    const std::int64_t now = measure::now_ns(), since = now - last_ns_ - clock_ns_;
    last_ns_ = now;
    return since;
  }

  const std::int64_t clock_ns_;  // what reading the clock takes
  std::int64_t last_ns_ = 0, client_ns_ = 0, server_ns_ = 0;
  double client_sum_ = 0, whole_sum_ = 0;
  double least_mean_ns_ = std::numeric_limits<double>::infinity();
};

}  // namespace tlsrig::workloads
