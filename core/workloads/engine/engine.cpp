// The engine workload: lanes side by side, and what is proved of them.
#include <tlsrig/workloads/engine/engine.hpp>

#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/host/resumption.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/engine/lane.hpp>
#include <tlsrig/workloads/engine/loops.hpp>
#include <tlsrig/workloads/team.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

using scenario::ContextSharing;
using scenario::Operation;

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
    const bool of_a_connection = operation_ == Operation::context_new;  // what is proved has contexts of its own
    for (std::uint32_t i = 0; i < team_.threads(); ++i) {
      if (!of_a_connection && (sharing == ContextSharing::per_thread || (sharing == ContextSharing::shared && i == 0)))
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
        Unwatched nobody;
        lane->open(nobody);
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
  // agreed works. So do the contexts and sessions that are made there, after a handshake. Measured they put nothing on
  // the wire: of them no record is counted.
  Json warm_up(const Slice& slice) override {
    measure::sleep_until_ns(slice.begin_ns);
    std::vector<std::uint64_t> verified(lanes_.size());
    counts_.client.warm_up_begin = mark(&Lane::client_counts);
    counts_.server.warm_up_begin = mark(&Lane::server_counts);
    team_.run([&](unsigned member) {
      Lane& lane = *lanes_[member];
      do {
        if (!scenario::moves_payload(operation_)) {
          lane.observe(is_handshake(operation_));
          open(lane);
          lane.observe(false);  // the message is no part of the operation
        }
        verified[member] += with_policy(buffers(), [&]<Buffers policy>() { return lane.exchange_verified<policy>(); });
      } while (measure::now_ns() < slice.end_ns);
      lane.observe(false);
    });
    counts_.client.warm_up_end = counts_.client.measured_begin = mark(&Lane::client_counts);
    counts_.server.warm_up_end = counts_.server.measured_begin = mark(&Lane::server_counts);
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : verified) sum += bytes;
    return {{"bytes_verified", sum}};
  }

  // Lanes end at different instants, so rates are added, not times: seconds is what the operations would have taken at
  // the sum of the rates.
  SliceCount slice(const Slice& slice) override {
    measure::sleep_until_ns(slice.begin_ns);
    std::vector<LaneCount> counts(lanes_.size());
    team_.run(
        [&](unsigned member) { counts[member] = run_lane(*lanes_[member], operation_, buffers(), slice.end_ns); });
    std::uint64_t operations = 0;
    double per_second = 0, excluded_cpu_seconds = 0, client_ns = 0, all_ns = 0;
    for (const LaneCount& count : counts) {
      const auto ns = static_cast<double>(count.ns);
      excluded_cpu_seconds += 1e-9 * static_cast<double>(count.excluded_cpu_ns);
      operations += count.operations;
      per_second += 1e9 * static_cast<double>(count.operations) / ns;
      client_ns += count.client_share * ns;
      all_ns += ns;
    }
    return {operations, static_cast<double>(operations) / per_second, excluded_cpu_seconds, client_ns / all_ns};
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
            {"layout", layout()},
            {"tickets", tickets_ ? Json(*tickets_) : Json(nullptr)},
            {"counts", {{"client", without_calls(counts_.client)}, {"server", without_calls(counts_.server)}}}};
  }

 private:
  Buffers buffers() const { return assignment_.settings.engine.buffers; }

  // What malloc gives lies where malloc likes.
  Json layout() const {
    const Layout layout(assignment_.placement_seed);
    Json json = layout.to_json();
    if (buffers() == Buffers::bounce) json["bounce"] = layout.page_offset(Purpose::bounce);
    if (buffers() == Buffers::pool) json["pool"] = layout.page_offset(Purpose::pool);
    return json;
  }

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
      mark.operations += !scenario::moves_payload(operation_) ? lane->connections() : lane->messages();
    }
    return mark;
  }

  static Json without_calls(const RoleCounts& counts) {
    Json json = counts.to_json();
    json["reads"] = json["writes"] = nullptr;
    return json;
  }

  void open(Lane& lane) const {
    Unwatched nobody;
    operation_ == Operation::handshake_resumed ? lane.resume(nobody) : lane.open(nobody);
  }

  void end(Lane& lane, const Json& settled) {
    // The peer has missed every record since the warm-up: it can read no close_notify either.
    Unwatched nobody;
    if (operation_ == Operation::wrap) return lane.close(nobody);
    if (!scenario::moves_payload(operation_)) {
      // What is measured is not asked what it settled, if it handshakes at all; one more, made alike, stands for it.
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
  if (engine.operation == Operation::session_new && engine.context == ContextSharing::per_connection)
    refuse(
        "engine.operation session-new opens sessions on a context that is there: engine.context is shared or "
        "per-thread");
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
