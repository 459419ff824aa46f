// From blocks to metrics: what an operation of each workload moves, the order of the sides, what each number says of
// itself. And what of all this makes two runs comparable.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tlsrig/judge/comparable.hpp>
#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/consistency.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace judge = tlsrig::judge;
namespace report = tlsrig::report;
namespace scenario = tlsrig::scenario;
using scenario::Operation;
using scenario::Workload;

namespace {

report::Arm arm_with(const std::string& id, const scenario::Settings& settings, double speed,
                     const std::vector<std::string>& roles) {
  report::Arm arm;
  arm.id = arm.backend = id;
  arm.settings = scenario::to_json(settings);
  arm.proof.version = "1.3";
  arm.status = report::Status::ok;
  for (unsigned i = 0; i < 8; ++i) {
    report::Block block;
    block.seconds = 0.2;
    block.operations = static_cast<std::uint64_t>(speed * (1000 + (i * 37) % 11));
    for (const auto& role : roles) block.roles[role] = {0.1, 0.05, 3};
    block.histogram = nullptr;
    arm.blocks.push_back(block);
  }
  arm.metrics = judge::metrics_of(arm, settings);
  return arm;
}

scenario::Settings one_way(Workload workload, scenario::Direction direction = scenario::Direction::to_server) {
  scenario::Settings settings;
  settings.workload = workload;
  settings.traffic.message_size = 64;
  settings.traffic.reply_size = 4096;  // of echo alone
  settings.traffic.direction = direction;
  settings.relay.present = workload == Workload::pipe;
  return settings;
}

std::vector<std::string> names_of(const report::Arm& arm) {
  std::vector<std::string> names;
  for (const auto& metric : arm.metrics) names.push_back(metric.name);
  return names;
}

// Payload bytes per operation, by the metrics; 0: they tell of none.
double payload_of(const scenario::Settings& settings) {
  const report::Arm arm = arm_with("openssl", settings, 1, {"client"});
  const auto* payload = report::find_metric(arm, "payload_bytes_per_second");
  return payload == nullptr ? 0 : *payload->value / *report::find_metric(arm, "throughput")->value;
}

}  // namespace

TEST_CASE("metrics: payload of a one-way message goes one way, a context or a session has none") {
  CHECK(payload_of(one_way(Workload::stream)) == doctest::Approx(64));
  CHECK(payload_of(one_way(Workload::pipe)) == doctest::Approx(64));
  scenario::Settings echo = one_way(Workload::stream);
  echo.workload = Workload::echo;
  CHECK(payload_of(echo) == doctest::Approx(64 + 4096));
  scenario::Settings engine;
  engine.workload = Workload::engine;
  for (const Operation operation : {Operation::wrap, Operation::unwrap, Operation::wrap_unwrap}) {
    engine.engine.operation = operation;
    CHECK(payload_of(engine) == doctest::Approx(16384));
  }
  for (const Operation operation :
       {Operation::handshake, Operation::handshake_resumed, Operation::context_new, Operation::session_new}) {
    engine.engine.operation = operation;
    CHECK(payload_of(engine) == 0);
  }
}

TEST_CASE("metrics: sides along the path, service times only where there is a histogram") {
  using Names = std::vector<std::string>;
  CHECK(names_of(arm_with("openssl", one_way(Workload::pipe), 1, {"server", "relay", "client"})) ==
        Names{"throughput", "payload_bytes_per_second", "cpu_client", "cpu_relay", "cpu_server"});
  scenario::Settings engine;
  engine.workload = Workload::engine;
  engine.engine.operation = Operation::handshake;
  CHECK(names_of(arm_with("openssl", engine, 1, {"engine", "client", "server"})) ==
        Names{"throughput", "cpu_client", "cpu_server", "cpu_engine"});
}

TEST_CASE("metrics: each says what it counts, at which side, in which direction") {
  for (const Workload workload : {Workload::echo, Workload::stream, Workload::pipe, Workload::engine}) {
    const report::Arm arm = arm_with("openssl", one_way(workload), 1, {"client", "relay", "server", "engine"});
    for (const auto& metric : arm.metrics) {
      INFO(metric.name);
      CHECK(metric.description.size() > 20);
      CHECK(metric.description.find(" per ") != std::string::npos);
    }
  }
  const report::Arm arm = arm_with("openssl", one_way(Workload::stream, scenario::Direction::to_client), 1, {"client"});
  CHECK(arm.metrics[0].description == "messages taken in by the client, one way, server to client, per second");
}

TEST_CASE("consistency: what runs of one-way workloads and of split engines write is accepted") {
  scenario::Settings engine;
  engine.workload = Workload::engine;
  const std::vector<std::pair<scenario::Settings, std::vector<std::string>>> runs{
      {one_way(Workload::stream, scenario::Direction::to_client), {"client", "server"}},
      {one_way(Workload::pipe), {"client", "relay", "server"}},
      {engine, {"client", "engine", "server"}}};
  for (const auto& [settings, roles] : runs) {
    report::Cell cell;
    cell.id = cell.scenario = cell.workload = "any";
    cell.baseline = "openssl";
    cell.arms = {arm_with("openssl", settings, 1, roles), arm_with("boringssl", settings, 1.5, roles)};
    judge::compare_arms(cell, settings);
    CHECK(cell.comparisons.size() == 1 + roles.size());
    for (const auto& comparison : cell.comparisons) CHECK(comparison.verdict == "faster");
    report::Result result;
    result.cells = {cell};
    const report::Result read = report::result_from_json(report::Json::parse(report::to_json_text(result)));
    CHECK_NOTHROW(judge::require_consistent(read, "r.json"));
    // Words may be put otherwise by another version; numbers may not.
    report::Result reworded = read;
    reworded.cells[0].arms[0].metrics[0].description = "what an earlier version called it";
    CHECK_NOTHROW(judge::require_consistent(reworded, "r.json"));
    reworded.cells[0].arms[0].metrics.back().value = 1;
    CHECK_THROWS_AS(judge::require_consistent(reworded, "r.json"), report::UnreadableResult);
  }
}

TEST_CASE("comparable: a key that an earlier version did not know has had its default") {
  const auto result_with = [](const report::Json& settings) {
    report::Cell cell;
    cell.id = "stream";
    report::Arm arm;
    arm.id = "openssl";
    arm.settings = settings;
    cell.arms = {arm};
    report::Result result;
    result.cells = {cell};
    return result;
  };
  const report::Json now = scenario::to_json(one_way(Workload::stream));
  report::Json earlier = now;
  earlier["traffic"].erase("direction");
  earlier["traffic"].erase("batch_size");
  const auto told = [&](const report::Json& before, const report::Json& after) {
    return judge::differences(result_with(before), result_with(after)).scenario;
  };
  CHECK(told(earlier, now).empty());
  CHECK(told(now, earlier).empty());
  report::Json other = now;
  other["traffic"]["direction"] = "to-client";
  REQUIRE(told(earlier, other).size() == 1);
  CHECK(told(earlier, other).front() ==
        "traffic.direction: \"to-server\" in OLD, \"to-client\" in NEW (stream, arm openssl)");
  other = now;
  other["traffic"]["shape"] = "of a newer version";
  CHECK(told(now, other).size() == 1);
}
