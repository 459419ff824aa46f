// The loops that are measured.
#include <tlsrig/workloads/engine/loops.hpp>

#include <limits>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/cpu.hpp>

namespace tlsrig::workloads {

namespace {

using scenario::Operation;

// A slice has this many operations at least: the scatter of fewer would be that of the machine's mood.
constexpr std::uint64_t least_operations = 20;

// Repeats run(watch) until end_ns and at least least_operations times. The first is not counted: it pays for the caches
// that the arm before has filled. The clock is read once per batch, which grows until it takes about 50 us: a look at
// the clock is then less than a thousandth of what it measures. two_sided: every so often the last operation of a batch
// is watched by the meter, whose last reading of the clock ends the batch too. More often, it would show: a watched
// message of 64 bytes costs a fifth more than another, and batches that reach their largest size may take a
// microsecond.
template <bool two_sided, class Run>
LaneCount repeat(Lane& lane, std::int64_t end_ns, Run&& run) {
  constexpr std::uint32_t largest_batch = 64;
  constexpr std::int64_t batch_ns = 50'000, unwatched_ns = 200'000;
  LaneCount count;
  Unwatched nobody;
  std::uint32_t& batch = lane.operations_per_look;
  const auto run_watched_batch = [&](std::int64_t begin) {
    for (std::uint32_t i = 1; i < batch; ++i) run(nobody);
    lane.meter.begin();
    run(lane.meter);
    lane.meter.end(static_cast<double>(lane.meter.last_ns() - begin) / batch);
    return lane.meter.last_ns();
  };
  const std::int64_t cpu_before = measure::thread_cpu_ns();
  run(nobody);
  count.excluded_cpu_ns = measure::thread_cpu_ns() - cpu_before;
  const std::int64_t begin = measure::now_ns();
  std::int64_t watch_from = two_sided ? begin : std::numeric_limits<std::int64_t>::max();
  for (std::int64_t last = begin; last < end_ns || count.operations < least_operations;) {
    std::int64_t now = 0;
    if (last >= watch_from) {
      now = run_watched_batch(last);
      watch_from = now + unwatched_ns;
    } else {
      for (std::uint32_t i = 0; i < batch; ++i) run(nobody);
      now = measure::now_ns();
    }
    count.operations += batch;
    if (now - last < batch_ns / 2 && batch < largest_batch) batch *= 2;
    if (now - last > batch_ns * 2 && batch > 1) batch /= 2;
    last = now;
    count.ns = now - begin;
  }
  if (two_sided) count.client_share = lane.meter.take_client_share();
  return count;
}

// Only the unwrapping is timed; the records are made in between, a batch at a time, and their CPU time is told apart.
template <Buffers policy>
LaneCount repeat_unwrap(Lane& lane, std::int64_t end_ns) {
  LaneCount count;
  std::int64_t excluded_cpu_ns = 0;
  const auto batch = [&] {
    const std::int64_t cpu_before = measure::thread_cpu_ns();
    lane.wrap_batch<policy>();
    excluded_cpu_ns += measure::thread_cpu_ns() - cpu_before;
    const std::int64_t before = measure::now_ns();
    count.operations += lane.unwrap_batch<policy>();
    const std::int64_t after = measure::now_ns();
    count.ns += after - before;
    return after;
  };
  const std::int64_t cpu_before = measure::thread_cpu_ns();
  while (count.operations == 0) batch();
  count = {};
  excluded_cpu_ns = measure::thread_cpu_ns() - cpu_before;
  while (batch() < end_ns || count.operations < least_operations) {
  }
  count.excluded_cpu_ns = excluded_cpu_ns;
  return count;
}

template <Buffers policy>
LaneCount repeat_wrap(Lane& lane, std::int64_t end_ns) {
  LaneCount count = repeat<false>(lane, end_ns, [&](auto&) { lane.wrap<policy>(); });
  count.client_share = 1;
  return count;
}

template <Buffers policy>
LaneCount run_messages(Lane& lane, Operation operation, std::int64_t end_ns) {
  if (operation == Operation::wrap) return repeat_wrap<policy>(lane, end_ns);
  if (operation == Operation::unwrap) return repeat_unwrap<policy>(lane, end_ns);
  return repeat<true>(lane, end_ns, [&](auto& watch) { lane.wrap_unwrap<policy>(watch); });
}

}  // namespace

LaneCount run_lane(Lane& lane, Operation operation, Buffers buffers, std::int64_t end_ns) {
  switch (operation) {
    case Operation::handshake:
      return repeat<true>(lane, end_ns, [&](auto& watch) {
        lane.open(watch);
        lane.close(watch);
      });
    case Operation::handshake_resumed:
      return repeat<true>(lane, end_ns, [&](auto& watch) {
        lane.resume(watch);
        lane.close(watch);
      });
    case Operation::context_new:
      return repeat<true>(lane, end_ns, [&](auto& watch) { lane.new_contexts(watch); });
    case Operation::session_new:
      return repeat<true>(lane, end_ns, [&](auto& watch) { lane.new_sessions(watch); });
    default:
      return with_policy(buffers, [&]<Buffers policy>() { return run_messages<policy>(lane, operation, end_ns); });
  }
}

}  // namespace tlsrig::workloads
