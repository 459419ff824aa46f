// The engine workload: lanes side by side, and the loops that are measured.
#include <tlsrig/workloads/engine/engine.hpp>

#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/host/resumption.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/cpu.hpp>
#include <tlsrig/workloads/engine/lane.hpp>
#include <tlsrig/workloads/team.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

using scenario::ContextSharing;
using scenario::Operation;

// A slice has this many operations at least: the scatter of fewer would be that of the machine's mood.
constexpr std::uint64_t least_operations = 20;

// Operations that one lane counted, and the time that they took.
struct LaneCount {
  std::uint64_t operations = 0;
  std::int64_t ns = 0;
  std::int64_t excluded_cpu_ns = 0;
};

// Repeats an operation until end_ns and at least least_operations times. The first is not counted: it pays for the
// caches that the arm before has filled. The clock is read once per batch, which grows until it takes about 50 us: a
// look at the clock is then less than a thousandth of what it measures.
template <class Run>
LaneCount repeat(std::uint32_t& batch, std::int64_t end_ns, Run&& run) {
  constexpr std::uint32_t largest_batch = 64;
  constexpr std::int64_t batch_ns = 50'000;
  LaneCount count;
  const std::int64_t cpu_before = measure::thread_cpu_ns();
  run();
  count.excluded_cpu_ns = measure::thread_cpu_ns() - cpu_before;
  const std::int64_t begin = measure::now_ns();
  for (std::int64_t last = begin; last < end_ns || count.operations < least_operations;) {
    for (std::uint32_t i = 0; i < batch; ++i) run();
    count.operations += batch;
    const std::int64_t now = measure::now_ns();
    if (now - last < batch_ns / 2 && batch < largest_batch) batch *= 2;
    if (now - last > batch_ns * 2 && batch > 1) batch /= 2;
    last = now;
    count.ns = now - begin;
  }
  return count;
}

// Only the unwrapping is timed; the records are made in between, a batch at a time, and their CPU time is told apart.
LaneCount repeat_unwrap(Lane& lane, std::int64_t end_ns) {
  LaneCount count;
  std::int64_t excluded_cpu_ns = 0;
  const auto batch = [&] {
    const std::int64_t cpu_before = measure::thread_cpu_ns();
    lane.wrap_batch();
    excluded_cpu_ns += measure::thread_cpu_ns() - cpu_before;
    const std::int64_t before = measure::now_ns();
    count.operations += lane.unwrap_batch();
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

LaneCount run_lane(Lane& lane, Operation operation, std::int64_t end_ns) {
  switch (operation) {
    case Operation::handshake:
      return repeat(lane.operations_per_look, end_ns, [&] {
        lane.open();
        lane.close();
      });
    case Operation::handshake_resumed:
      return repeat(lane.operations_per_look, end_ns, [&] {
        lane.resume();
        lane.close();
      });
    case Operation::wrap:
      return repeat(lane.operations_per_look, end_ns, [&] { lane.wrap(); });
    case Operation::unwrap:
      return repeat_unwrap(lane, end_ns);
    default:
      return repeat(lane.operations_per_look, end_ns, [&] { lane.wrap_unwrap(); });
  }
}

// Without TLS there is nothing to resume: every connection is like the first.
Operation operation_of(const Assignment& assignment) {
  const Operation operation = assignment.settings.engine.operation;
  return operation == Operation::handshake_resumed && assignment.client->plain() ? Operation::handshake : operation;
}

bool is_handshake(Operation operation) {
  return operation == Operation::handshake || operation == Operation::handshake_resumed;
}

class Engine final : public Participant {
 public:
  explicit Engine(const Assignment& assignment)
      : assignment_(assignment), operation_(operation_of(assignment)), team_(assignment.settings.engine.threads) {}

  Json prepare() override {
    for (const std::int32_t role : {TLSRIG_CLIENT, TLSRIG_SERVER})
      require_transport(backend_of(assignment_, role), TLSRIG_WIRE);
    if (operation_ == Operation::handshake_resumed && !host::Resumption::of(*assignment_.client))
      throw host::Unsupported(fmt::format("{} offers no {}", assignment_.client->name(), TLSRIG_RESUMPTION));
    const ContextSharing sharing = assignment_.settings.engine.context;
    std::shared_ptr<const ContextPair> contexts;
    for (std::uint32_t i = 0; i < team_.threads(); ++i) {
      if (sharing == ContextSharing::per_thread || (sharing == ContextSharing::shared && i == 0))
        contexts = std::make_shared<const ContextPair>(make_contexts(assignment_));
      lanes_.push_back(std::make_unique<Lane>(assignment_, i, contexts));
    }
    return Json::object();
  }

  Json connect(const Json&) override {
    ProofPair all = empty_proof(team_.threads());
    for (auto& lane : lanes_) {
      ProofPair own = empty_proof(1);
      if (operation_ == Operation::handshake_resumed) {
        lane->open();
        lane->take_ticket();
      }
      open(*lane);
      lane->settle(own);
      if (const auto tickets = lane->tickets_received()) tickets_ = tickets_.value_or(0) + *tickets;
      settled_.push_back(to_json(own));
      all.client.add_all(own.client);
      all.server.add_all(own.server);
    }
    return {{"proof", to_json(all)}};
  }

  // A measured handshake carries no payload; in the warm-up each is followed by a message, which proves that what was
  // agreed works.
  Json warm_up(const Slice& slice) override {
    measure::sleep_until_ns(slice.begin_ns);
    std::vector<std::uint64_t> verified(lanes_.size());
    counts_.client.warm_up_begin = mark(&Lane::client_counts);
    counts_.server.warm_up_begin = mark(&Lane::server_counts);
    team_.run([&](unsigned member) {
      Lane& lane = *lanes_[member];
      do {
        if (is_handshake(operation_)) {
          lane.observe(true);
          open(lane);
          lane.observe(false);  // the message is no part of the operation
        }
        verified[member] += lane.exchange_verified();
      } while (measure::now_ns() < slice.end_ns);
      lane.observe(false);
    });
    counts_.client.warm_up_end = mark(&Lane::client_counts);
    counts_.server.warm_up_end = mark(&Lane::server_counts);
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : verified) sum += bytes;
    return {{"bytes_verified", sum}};
  }

  // Lanes end at different instants, so rates are added, not times: seconds is what the operations would have taken at
  // the sum of the rates.
  SliceCount slice(const Slice& slice) override {
    measure::sleep_until_ns(slice.begin_ns);
    std::vector<LaneCount> counts(lanes_.size());
    team_.run([&](unsigned member) { counts[member] = run_lane(*lanes_[member], operation_, slice.end_ns); });
    std::uint64_t operations = 0;
    double per_second = 0, excluded_cpu_seconds = 0;
    for (const LaneCount& count : counts) {
      excluded_cpu_seconds += 1e-9 * static_cast<double>(count.excluded_cpu_ns);
      operations += count.operations;
      per_second += 1e9 * static_cast<double>(count.operations) / static_cast<double>(count.ns);
    }
    return {operations, static_cast<double>(operations) / per_second, excluded_cpu_seconds};
  }

  Json finish() override {
    counts_.client.measured_end = mark(&Lane::client_counts);
    counts_.server.measured_end = mark(&Lane::server_counts);
    for (std::size_t i = 0; i < lanes_.size(); ++i) end(*lanes_[i], settled_[i]);
    std::uint64_t messages = 0, in = 0, out = 0, wire_out = 0;
    for (const auto& lane : lanes_) {
      messages += lane->messages();
      in += lane->bytes_in();
      out += lane->bytes_out();
      wire_out += lane->wire_bytes_out();
    }
    return {{"messages", messages},
            {"payload_bytes_in", in},
            {"payload_bytes_out", out},
            {"wire_bytes_out", wire_out},
            {"histogram", nullptr},
            {"layout", Layout(assignment_.placement_seed).to_json()},
            {"tickets", tickets_ ? Json(*tickets_) : Json(nullptr)},
            {"counts", {{"client", without_calls(counts_.client)}, {"server", without_calls(counts_.server)}}}};
  }

 private:
  ProofPair empty_proof(std::uint32_t connections) const {
    return {{TLSRIG_CLIENT, assignment_.client->plain(), connections},
            {TLSRIG_SERVER, assignment_.server->plain(), connections}};
  }

  static Json to_json(const ProofPair& proof) {
    return {{"client", proof.client.to_json()}, {"server", proof.server.to_json()}};
  }

  // What all lanes came to so far. Which operations count is what the lanes did, those that no slice counts included:
  // they are on the wire too.
  RoleCounts::Mark mark(WireCounts (Lane::*side)() const) const {
    RoleCounts::Mark mark;
    for (const auto& lane : lanes_) {
      mark.wire += ((*lane).*side)();
      mark.operations += is_handshake(operation_) ? lane->handshakes() : lane->messages();
    }
    return mark;
  }

  static Json without_calls(const RoleCounts& counts) {
    Json json = counts.to_json();
    json["reads"] = json["writes"] = nullptr;
    return json;
  }

  void open(Lane& lane) const { operation_ == Operation::handshake_resumed ? lane.resume() : lane.open(); }

  void end(Lane& lane, const Json& settled) {
    // The peer has missed every record since the warm-up: it can read no close_notify either.
    if (operation_ == Operation::wrap) return lane.close();
    if (is_handshake(operation_)) {
      // Measured handshakes are not asked what they settled; one more, made like them, stands for them.
      ProofPair last = empty_proof(1);
      lane.observe(true);
      open(lane);
      lane.settle(last);
      if (const Json now = to_json(last); now != settled)
        throw StepError("protocol",
                        fmt::format("the first handshake settled {}, the last {}", settled.dump(), now.dump()));
    }
    lane.close_in_order();
  }

  const Assignment assignment_;
  const Operation operation_;
  Team team_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Json> settled_;             // per lane
  std::optional<std::uint64_t> tickets_;  // read on the connections that settled_ tells of
  struct {
    RoleCounts client, server;
  } counts_;
};

void require_offered(const Assignment& assignment) {
  const auto refuse = [](const std::string& what) { throw StepError("config", "engine: " + what); };
  const scenario::EngineSettings& engine = assignment.settings.engine;
  if (assignment.role != "engine") refuse("its one role is \"engine\", not \"" + assignment.role + "\"");
  if (engine.operation == Operation::context_new || engine.operation == Operation::session_new)
    refuse("engine.operation is handshake, handshake-resumed, wrap, unwrap or wrap-unwrap");
  if (engine.buffers != scenario::Buffers::direct) refuse("engine.buffers is \"direct\" and nothing else");
  if (engine.message_size == 0 || engine.threads == 0) refuse("message_size and threads are 1 or more");
  if (engine.operation == Operation::handshake_resumed &&
      assignment.settings.tls.resumption == scenario::Resumption::off)
    refuse("engine.operation handshake-resumed needs tls.resumption");
}

}  // namespace

std::unique_ptr<Participant> make_engine(const Assignment& assignment) {
  require_offered(assignment);
  return std::make_unique<Engine>(assignment);
}

}  // namespace tlsrig::workloads
