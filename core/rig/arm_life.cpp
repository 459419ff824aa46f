// The steps of a life, in their order, each with its deadline.
#include <tlsrig/rig/arm_life.hpp>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/rig/worker_process.hpp>
#include <tlsrig/rig/worker_thread.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::rig {

namespace {

// How long the steps of a life may take, in seconds. They are there to end a hang, not to judge speed: generous.
// start may take 10 s by the contract.
constexpr double load_seconds = 12;
constexpr double assign_seconds = 10;
constexpr double connect_seconds = 10;
constexpr double connect_seconds_per_connection = 0.02;
constexpr double warm_up_seconds = 10;
constexpr double slice_seconds = 10;
constexpr double finish_seconds = 10;
constexpr double slowest_bytes_per_second = 5e6;
// Bytes that the two sockets of a connection hold, as far as they grow under traffic (tcp_wmem, tcp_rmem), and that all
// of them hold (tcp_mem).
constexpr double held_by_sockets = 8e6, held_most = 2e9;

// A slice begins this long after it was announced, so that every worker is asleep and waiting when it does.
constexpr std::int64_t slice_lead_ns = 300'000;

// A relay that reads a few bytes at a time writes them on as they are: a system call for each.
double slowest_rate(const scenario::Settings& settings) {
  constexpr double slowest_calls_per_second = 1e5;
  if (!settings.relay.present) return slowest_bytes_per_second;
  const bool by_byte = settings.relay.read == scenario::RelayRead::spin;
  const double each = by_byte ? 1 : static_cast<double>(settings.relay.read_size);
  return std::min(slowest_bytes_per_second, each * slowest_calls_per_second);
}

constexpr double seconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// What may be in flight when traffic is to be drained takes this long at most.
double drain_seconds(const scenario::Settings& settings) {
  if (settings.workload == scenario::Workload::engine)
    return 2 * static_cast<double>(settings.engine.message_size) / slowest_bytes_per_second;
  const auto& traffic = settings.traffic;
  const double connections = traffic.connections;
  double bytes = connections * traffic.pipeline * static_cast<double>(traffic.message_size + traffic.reply_size);
  // One way, what sockets and a relay hold comes to more than a message.
  if (scenario::is_one_way(settings.workload)) {
    const auto legs = static_cast<double>(scenario::legs_of(settings).size());
    bytes = connections * static_cast<double>(traffic.message_size) +
            std::min(connections * legs * held_by_sockets, held_most);
  }
  return bytes / slowest_rate(settings);
}

// A slice freezes when its time is over, but an engine brings a number of operations to their end, however long they
// are.
double overrun_seconds(const scenario::Settings& settings) {
  constexpr double operations = 32;
  if (settings.workload != scenario::Workload::engine) return 0;
  return operations * static_cast<double>(settings.engine.message_size) / slowest_bytes_per_second;
}

// The worst cause first. A crash is never the consequence of anything at the other end; a refusal as unsupported
// explains why the other end complains or waits, not the reverse.
int weight(const StepFailure& failure) {
  switch (failure.cause) {
    case StepFailure::Cause::ended:
      return 5;
    case StepFailure::Cause::unsupported:
      return 4;
    case StepFailure::Cause::hung:
      return 3;
    case StepFailure::Cause::late:
      return 2;
    case StepFailure::Cause::answered:
      return failure.kind == "truncated" ? 0 : 1;  // an end of the stream is often what the other end made of it
  }
  return 0;
}

}  // namespace

// A warm-up leaves nothing under way. One way nothing waits for an answer: a source then runs ahead at its own speed
// until all that lies between it and the sink is full, which may be megabytes, and within the first slices its cost
// would stand for more messages than came in (seen with 2 B messages and a slow relay: five times the CPU time per
// message). And of a deep pipeline nothing comes back until the first message is through.
std::int64_t fill_ns(const scenario::Settings& settings) {
  constexpr std::int64_t most_ns = 300'000'000;
  const bool runs_ahead = scenario::is_one_way(settings.workload) ||
                          (settings.workload == scenario::Workload::echo && settings.traffic.pipeline > 1);
  return runs_ahead ? std::min(settings.measure.warmup_ns, most_ns) : 0;
}

ArmLife::ArmLife(const LifePlan& plan, Interruption& interruption) : plan_(plan), interruption_(interruption) {
  try {
    for (const auto& role : scenario::roles_of(plan.arm->settings)) start_worker(role);
  } catch (const std::system_error& error) {
    throw ArmFailure(false, "system", error.what());
  }
  for (auto& worker : workers_) worker->ask(load_request(sources_of(worker->role())));
}

void ArmLife::start_worker(const std::string& role) {
  if (plan_.in_process)
    workers_.push_back(std::make_unique<WorkerThread>(role, *plan_.in_process));
  else
    workers_.push_back(std::make_unique<WorkerProcess>(role, library_path(sources_of(role)), interruption_));
}

// The backends that a role plays with, in the order of its parts; one alone where two parts have the same.
std::vector<std::string> ArmLife::backends_of(const std::string& role) const {
  std::vector<std::string> names;
  for (const auto& part : scenario::parts_of(plan_.arm->settings, role))
    if (std::find(names.begin(), names.end(), part.backend) == names.end()) names.push_back(part.backend);
  return names;
}

std::vector<PluginSource> ArmLife::sources_of(const std::string& role) const {
  std::vector<PluginSource> sources;
  for (const auto& name : backends_of(role)) sources.push_back(plan_.plugins.at(name));
  return sources;
}

void ArmLife::assign(WorkerHandle& worker) {
  const auto& settings = plan_.arm->settings;
  const std::vector<std::string> names = backends_of(worker.role());
  // The place of the backend of a side among those that the worker has loaded; -1: it does not play that side.
  const auto place_of = [&](bool is_server) -> std::ptrdiff_t {
    for (const auto& leg : scenario::legs_of(settings)) {
      const scenario::Part& part = is_server ? leg.server : leg.client;
      if (part.role == worker.role()) return std::find(names.begin(), names.end(), part.backend) - names.begin();
    }
    return -1;
  };
  const auto& files = plan_.certificates;
  worker.ask({{"do", "assign"},
              {"role", worker.role()},
              {"settings", scenario::to_json(settings)},
              {"client", place_of(false)},
              {"server", place_of(true)},
              {"placement_seed", plan_.placement_seed},
              {"processors", processors_for(worker.role())},
              {"certificates",
               {{"server_chain", files.server_chain},
                {"server_key", files.server_key},
                {"client_chain", files.client_chain},
                {"client_key", files.client_key},
                {"trust", files.trust},
                {"server_name", files.server_name}}}});
}

Json ArmLife::processors_for(const std::string& role) const {
  const auto found = plan_.processors.find(role);
  return found == plan_.processors.end() ? Json(nullptr) : Json(found->second);
}

bool ArmLife::shares_processors(const std::string& role) const {
  const auto own = plan_.processors.find(role);
  return own != plan_.processors.end() &&
         std::any_of(plan_.processors.begin(), plan_.processors.end(),
                     [&](const auto& other) { return other.first != role && other.second == own->second; });
}

std::map<std::string, Json> ArmLife::step(const std::vector<WorkerHandle*>& workers, std::size_t required,
                                          double seconds) {
  // A debugger may hold a thread of this process for as long as it likes.
  const std::int64_t deadline_ns =
      plan_.in_process ? no_deadline : measure::now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  std::map<std::string, Json> messages;
  std::vector<StepFailure> failures;
  std::vector<Answer> answers = await(workers, required, deadline_ns, seconds, interruption_);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (answers[i].failure)
      failures.push_back(*answers[i].failure);
    else if (answers[i].answered)
      messages[workers[i]->role()] = std::move(answers[i].message);
  }
  if (failures.empty()) return messages;
  std::stable_sort(failures.begin(), failures.end(),
                   [](const auto& left, const auto& right) { return weight(left) > weight(right); });
  std::vector<std::string> reasons;
  for (const auto& failure : failures)
    if (failure.cause == failures.front().cause) reasons.push_back(failure.reason);
  throw ArmFailure(failures.front().cause == StepFailure::Cause::unsupported, failures.front().kind,
                   fmt::format("{}", fmt::join(reasons, "; ")));
}

std::map<std::string, Json> ArmLife::step_all(const Json& request, double seconds) {
  std::vector<WorkerHandle*> workers;
  for (auto& worker : workers_) {
    worker->ask(request);
    workers.push_back(worker.get());
  }
  return step(workers, workers.size(), seconds);
}

WorkerHandle& ArmLife::worker(const std::string& role) {
  return **std::find_if(workers_.begin(), workers_.end(), [&](auto& each) { return each->role() == role; });
}

void ArmLife::start() {
  std::vector<WorkerHandle*> all;
  for (auto& worker : workers_) all.push_back(worker.get());
  step(all, all.size(), load_seconds);  // asked in the constructor, so that the arms load side by side
  for (auto* worker : all) assign(*worker);
  step(all, all.size(), assign_seconds);
  connect();
  warm_up();
  if (const std::int64_t ns = fill_ns(plan_.arm->settings)) run_slice(ns, false);
}

// Each role connects to the one that was started before it.
void ArmLife::connect() {
  auto prepared = step_all({{"do", "prepare"}}, assign_seconds);
  std::vector<WorkerHandle*> all;
  Json port;
  for (auto& worker : workers_) {
    Json request{{"do", "connect"}};
    if (!port.is_null()) request["port"] = port;
    worker->ask(std::move(request));
    port = prepared.at(worker->role()).value("port", Json());
    all.push_back(worker.get());
  }
  const double connections = plan_.arm->settings.traffic.connections;
  const double legs = static_cast<double>(scenario::legs_of(plan_.arm->settings).size());
  const double seconds = connect_seconds + legs * connections * connect_seconds_per_connection;
  for (auto& [role, message] : step(all, all.size(), seconds)) {
    for (const auto& [part, proof] : message.at("proof").items()) proofs_[part] = proof;
    if (message.contains("socket")) sockets_[role] = message.at("socket");
  }
}

// The role that begins the messages ends its warm-up by itself. The others serve until the rig asks them for something
// else, the farthest first: what is on its way passes the nearer ones.
void ArmLife::warm_up() {
  const auto& settings = plan_.arm->settings;
  const std::int64_t begin_ns = measure::now_ns();
  const Json request{{"do", "warm_up"}, {"begin_ns", begin_ns}, {"end_ns", begin_ns + settings.measure.warmup_ns}};
  const double seconds = warm_up_seconds + seconds_of(settings.measure.warmup_ns) + drain_seconds(settings) +
                         static_cast<double>(settings.measure.warmup_bytes) / slowest_rate(settings);
  const std::string leading = scenario::leading_role(settings);
  std::vector<WorkerHandle*> order{&worker(leading)};
  for (auto& each : workers_) {
    each->ask(request);
    if (each->role() != leading && each->role() != "relay") order.push_back(each.get());
  }
  for (auto& each : workers_)
    if (each->role() == "relay") order.push_back(each.get());

  const Json led = step(order, 1, seconds).at(leading);
  bytes_verified_ += led.at("bytes_verified").get<std::uint64_t>();
  for (auto serving = order.begin() + 1; serving != order.end(); ++serving) {
    WorkerHandle& each = **serving;
    const std::vector<WorkerHandle*> unasked(serving, order.end());  // of those before it nothing is due
    each.ask({{"do", "settle"}, {"bytes_sent", led.value("bytes_sent", std::uint64_t{0})}});
    const Json served = step(unasked, 1, seconds).at(each.role());
    const Json settled = step(unasked, 1, seconds).at(each.role());
    bytes_verified_ += settled.value("bytes_verified", served.at("bytes_verified").get<std::uint64_t>());
  }
}

std::map<std::string, Json> ArmLife::run_slice(std::int64_t slice_ns, bool measured) {
  const std::int64_t begin_ns = measure::now_ns() + slice_lead_ns;
  const Json request{{"do", "slice"}, {"begin_ns", begin_ns}, {"end_ns", begin_ns + slice_ns}, {"measured", measured}};
  const double seconds = slice_seconds + seconds_of(slice_ns) + overrun_seconds(plan_.arm->settings);
  return step_all(request, seconds);
}

void ArmLife::slice(std::int64_t slice_ns) {
  const std::string counting = scenario::counting_role(plan_.arm->settings);
  for (const auto& [role, message] : run_slice(slice_ns, true)) {
    // An engine times itself, and one of two roles that share a processor waits for the other.
    if (role != "engine" && !shares_processors(role)) late_seconds_ += message.at("late_seconds").get<double>();
    if (!message.at("cpu_user").is_null()) {  // null: roles that share a process, and cannot be told apart
      const double user = message.at("cpu_user").get<double>(), system = message.at("cpu_system").get<double>();
      const auto use = [&](const std::string& name, double share) -> report::RoleUse& {
        report::RoleUse& of_role = block_.roles[name];
        of_role.cpu_user += share * user;
        of_role.cpu_system += share * system;
        return of_role;
      };
      use(role, 1).involuntary_switches += message.at("involuntary_switches").get<std::uint64_t>();
      // An engine plays both sides: its time is told a second time, side by side. Its switches are neither's.
      if (const auto client = message.find("client_share"); client != message.end()) {
        use("client", client->get<double>());
        use("server", 1 - client->get<double>());
      }
    }
    if (role != counting) continue;
    block_.operations += message.at("operations").get<std::uint64_t>();
    block_.seconds += message.at("seconds").get<double>();
  }
}

// CPU time that is not counted was taken off the user time, which the kernel tells less exactly than the sum of both.
report::Block ArmLife::take_block() {
  for (auto& [role, use] : block_.roles) {
    if (use.cpu_user >= 0) continue;
    use.cpu_system = std::max(0.0, use.cpu_system + use.cpu_user);
    use.cpu_user = 0;
  }
  return std::move(block_);
}

void ArmLife::finish() {
  const auto totals = step_all({{"do", "finish"}}, finish_seconds + drain_seconds(plan_.arm->settings));
  compare_totals(totals);
  for (const auto& [role, message] : totals) {
    if (message.contains("histogram") && !message.at("histogram").is_null()) block_.histogram = message.at("histogram");
    if (message.contains("layout")) block_.layout[role] = message.at("layout");
    block_.layout[role]["processors"] = processors_for(role);
    if (const auto tickets = message.find("tickets"); tickets != message.end() && !tickets->is_null())
      tickets_ = tickets->get<std::uint64_t>();
    if (message.contains("counts")) counts_.update(message.at("counts"));
  }
  for (auto& worker : workers_)
    if (const auto failure = worker->end()) throw ArmFailure(false, failure->kind, failure->reason);
}

// Every byte that one end has sent must have reached the other: a run that loses data is no measurement.
void ArmLife::compare_totals(const std::map<std::string, Json>& totals) const {
  const auto client = totals.find("client"), server = totals.find("server");
  if (client == totals.end() || server == totals.end()) return;
  const auto count = [](const Json& message, const char* key) { return message.at(key).get<std::uint64_t>(); };
  const auto must_equal = [&](const char* what, std::uint64_t sent, std::uint64_t received) {
    if (sent != received)
      throw ArmFailure(false, "short_count", fmt::format("{}: {} bytes sent, {} received", what, sent, received));
  };
  must_equal("client to server", count(client->second, "payload_bytes_out"), count(server->second, "payload_bytes_in"));
  must_equal("server to client", count(server->second, "payload_bytes_out"), count(client->second, "payload_bytes_in"));
}

}  // namespace tlsrig::rig
