// The loops of one role, a thread each, and what they have in common in every workload over sockets: who gets which
// connection, what happens when a part fails, what is counted of all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/first_failure.hpp>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/role_counts.hpp>
#include <tlsrig/workloads/team.hpp>

namespace tlsrig::workloads {

// Connection i belongs to loop i % threads. A Loop is a TurnLoop that offers adopt(connection), slice(slice),
// bytes_verified() and moved(): how far it has come so far, in units of which `units_per_operation` are one operation.
// Operations are whole ones by the sum of all loops.
template <class Loop>
class LoopTeam {
 public:
  using Connection = typename Loop::Connection;

  // make(FirstFailure&): a new loop, as std::unique_ptr.
  template <class Make>
  LoopTeam(unsigned threads, std::uint64_t units_per_operation, Make&& make)
      : units_per_operation_(units_per_operation), team_(threads) {
    for (unsigned i = 0; i < threads; ++i) loops_.push_back(make(first_failure_));
  }

  const std::vector<std::unique_ptr<Loop>>& loops() const { return loops_; }

  void adopt(std::unique_ptr<Connection> connection) {
    const std::size_t index = connection->end.connection % loops_.size();
    loops_[index]->adopt(std::move(connection));
  }

  // Runs a part of a step that talks to the peer outside the loops. When it fails every connection is closed before the
  // failure goes on: the worker lives until the rig has heard of it, and until then the peer would wait for nothing.
  template <class Part>
  decltype(auto) guard(Part&& part) {
    try {
      return part();
    } catch (...) {
      for (auto& loop : loops_) loop->release();
      throw;
    }
  }

  // Runs a part for every connection, one after the other, with the same care.
  template <class Part>
  void each(Part&& part) {
    guard([&] {
      for (auto& loop : loops_)
        for (auto& connection : loop->connections()) part(*connection);
    });
  }

  // Runs a part of a step in every loop at once. Throws what the first loop that failed threw.
  template <class Part>
  void run(Part&& part) {
    team_.run([&](unsigned member) { part(*loops_[member]); });
  }

  SliceCount slice(const Slice& slice) {
    measure::sleep_until_ns(slice.begin_ns);
    const std::uint64_t before = operations();
    run([&](Loop& loop) { loop.slice(slice); });
    if (!slice.measured) counts_.measured_begin = mark();
    return {operations() - before, 1e-9 * static_cast<double>(slice.end_ns - slice.begin_ns)};
  }

  // Around the verified traffic of the warm-up, in which alone records are counted.
  void begin_warm_up() { counts_.warm_up_begin = mark(); }
  void end_warm_up() {
    for (auto& loop : loops_)
      for (auto& connection : loop->connections()) connection->transport.socket().stop_reading();
    counts_.warm_up_end = counts_.measured_begin = mark();
  }

  // Before the ends of the streams go over the wire: what was measured ends here. (Nothing is called between slices.)
  void end_measuring() { counts_.measured_end = mark(); }

  std::uint64_t moved() const {
    return sum([](const Loop& loop) { return loop.moved(); });
  }
  std::uint64_t operations() const { return moved() / units_per_operation_; }
  std::uint64_t bytes_verified() const {
    return sum([](const Loop& loop) { return loop.bytes_verified(); });
  }

  // What finish gives, while the connections are still there: part is whose counts they are (scenario/legs.hpp). No
  // histogram.
  Json totals(const char* part, Json layout) const {
    std::uint64_t in = 0, out = 0;
    for (const auto& loop : loops_)
      for (const auto& connection : loop->connections()) {
        in += connection->in_offset;
        out += connection->out_offset;
      }
    return {{"messages", operations()}, {"payload_bytes_in", in},      {"payload_bytes_out", out},
            {"histogram", nullptr},     {"layout", std::move(layout)}, {"counts", {{part, counts_.to_json()}}}};
  }

  void release() {
    for (auto& loop : loops_) loop->release();
  }

 private:
  template <class Count>
  std::uint64_t sum(Count&& count) const {
    std::uint64_t total = 0;
    for (const auto& loop : loops_) total += count(*loop);
    return total;
  }

  RoleCounts::Mark mark() const {
    RoleCounts::Mark mark;
    mark.operations = operations();
    for (const auto& loop : loops_)
      for (const auto& connection : loop->connections())
        mark.wire += connection->transport.socket().counts(connection->in_offset, connection->out_offset);
    return mark;
  }

  const std::uint64_t units_per_operation_;
  FirstFailure first_failure_;
  RoleCounts counts_;
  std::vector<std::unique_ptr<Loop>> loops_;
  Team team_;
};

}  // namespace tlsrig::workloads
