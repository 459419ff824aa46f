// The rig's parts that can be judged without a run: control messages, proof, metrics, comparisons, seeds.
#include <doctest/doctest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/rig/arm_life.hpp>
#include <tlsrig/rig/channel.hpp>
#include <tlsrig/rig/copy_alias.hpp>
#include <tlsrig/rig/inspection.hpp>
#include <tlsrig/rig/loaded_backends.hpp>
#include <tlsrig/rig/plugin_source.hpp>
#include <tlsrig/rig/processors.hpp>
#include <tlsrig/rig/run.hpp>
#include <tlsrig/rig/worker_thread.hpp>

using namespace tlsrig;
using rig::Json;

namespace {

struct Pair {
  Pair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()) == 0); }
  ~Pair() {
    for (const int fd : fds) close(fd);
  }
  std::array<int, 2> fds{};
};

std::int64_t soon_ns() { return measure::now_ns() + 50'000'000; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

report::Arm arm_of(const std::string& id, const std::vector<double>& rates) {
  report::Arm arm;
  arm.id = id;
  arm.status = report::Status::ok;
  for (const double rate : rates) {
    report::Block block;
    block.seconds = 2;
    block.operations = static_cast<std::uint64_t>(rate * 2);
    block.roles["client"] = {0.5, 0.5, 0};
    arm.blocks.push_back(block);
  }
  arm.metrics = judge::metrics_of(arm, {});
  return arm;
}

const report::Metric& metric(const report::Arm& arm, const std::string& name) {
  for (const auto& one : arm.metrics)
    if (one.name == name) return one;
  throw std::runtime_error("no metric " + name);
}

}  // namespace

TEST_CASE("control messages arrive whole and in order, whatever their size") {
  Pair pair;
  rig::Channel left(pair.fds[0]), right(pair.fds[1]);
  REQUIRE(left.send({{"do", "one"}}));
  REQUIRE(left.send({{"do", "two"}, {"text", std::string(100'000, 'x')}}));
  Json message;
  REQUIRE(right.receive(message, soon_ns()) == rig::Received::message);
  CHECK(message.at("do") == "one");
  REQUIRE(right.receive(message, soon_ns()) == rig::Received::message);
  CHECK(message.at("text").get<std::string>().size() == 100'000);
}

TEST_CASE("a silent side is late, a closed one and one that writes garbage have ended") {
  Pair pair;
  rig::Channel left(pair.fds[0]);
  Json message;
  CHECK(left.receive(message, measure::now_ns() + 5'000'000) == rig::Received::late);
  const std::string garbage = "\xff\xff\xff\xffgarbage";
  REQUIRE(send(pair.fds[1], garbage.data(), garbage.size(), 0) > 0);
  CHECK(left.receive(message, soon_ns()) == rig::Received::ended);
  Pair other;
  rig::Channel alone(other.fds[0]);
  shutdown(other.fds[1], SHUT_RDWR);
  CHECK(alone.receive(message, soon_ns()) == rig::Received::ended);
  CHECK_FALSE(alone.send({{"do", "x"}}));
}

TEST_CASE("the probe for slow copies tells how much slower the worst place is") {
  const Json record = rig::copy_alias_record();
  CHECK(record.at("memcpy_slowdown").get<double>() >= 1);
  CHECK(record.at("socket_slowdown").get<double>() >= 1);
  const double worst = std::max(record.at("memcpy_slowdown").get<double>(), record.at("socket_slowdown").get<double>());
  CHECK(record.at("affected").get<bool>() == (worst >= 2));
}

TEST_CASE("metrics are medians of the blocks, with the interval that their number allows") {
  const auto six = arm_of("a", {100, 102, 98, 101, 99, 100});
  CHECK(metric(six, "throughput").value == doctest::Approx(100));
  CHECK(metric(six, "throughput").low == doctest::Approx(98));
  CHECK(metric(six, "throughput").high == doctest::Approx(102));
  CHECK(metric(six, "payload_bytes_per_second").value == doctest::Approx(100 * 2048));
  CHECK(metric(six, "cpu_client").value == doctest::Approx(1.0 / 200));
  CHECK_FALSE(metric(arm_of("a", {100, 101}), "throughput").low.has_value());
}

TEST_CASE("a percentile is told only when there are samples enough for it") {
  auto arm = arm_of("a", {100});
  arm.blocks.front().histogram = Json::array({Json::array({1000, 999}), Json::array({2000, 1})});
  arm.metrics = judge::metrics_of(arm, {});
  CHECK(metric(arm, "service_time_p50").value.has_value());
  CHECK(metric(arm, "service_time_p99").value.has_value() == (1000 >= 10 / (1 - 0.99)));
  CHECK_FALSE(metric(arm, "service_time_p999").value.has_value());
}

TEST_CASE("arms are compared by block with the baseline; a failed one is in no comparison") {
  report::Cell cell;
  cell.baseline = "a";
  cell.arms = {arm_of("a", {100, 110, 90, 100, 105, 95, 100, 100}),
               arm_of("b", {120, 132, 108, 120, 126, 114, 120, 120}),
               arm_of("c", {120, 132, 108, 120, 126, 114, 120, 120})};
  cell.arms[2].status = report::Status::failed;
  judge::compare_arms(cell, {});
  REQUIRE(!cell.comparisons.empty());
  for (const auto& comparison : cell.comparisons) {
    CHECK(comparison.arm == "b");
    if (comparison.metric == "throughput") {
      CHECK(*comparison.ratio == doctest::Approx(1.2));
      CHECK(comparison.verdict == "faster");
    }
  }
  cell.comparisons.clear();
  cell.arms[0].status = report::Status::failed;
  judge::compare_arms(cell, {});
  CHECK(cell.comparisons.empty());
}

TEST_CASE("a plain arm is judged among plain arms, and is a yardstick beside TLS") {
  report::Cell cell;
  cell.baseline = "a";
  cell.arms = {arm_of("a", {100, 110, 90, 100, 105, 95, 100, 100}),
               arm_of("b", {120, 132, 108, 120, 126, 114, 120, 120}),
               arm_of("c", {120, 132, 108, 120, 126, 114, 120, 120})};
  const auto verdicts = [&](const std::string& a, const std::string& b, const std::string& c) {
    cell.arms[0].proof.version = a;
    cell.arms[1].proof.version = b;
    cell.arms[2].proof.version = c;
    cell.comparisons.clear();
    judge::compare_arms(cell, {});
    std::string words;
    for (const auto& comparison : cell.comparisons)
      if (comparison.metric == "throughput") words += comparison.verdict.value_or("none") + " ";
    return words;
  };
  CHECK(verdicts("1.3", "1.3", "none") == "faster none ");
  CHECK(verdicts("none", "none", "none") == "faster faster ");
  CHECK(verdicts("none", "1.3", "1.3") == "none none ");
}

TEST_CASE("blocks go on until every ratio is known to the target precision") {
  report::Cell cell;
  cell.baseline = "a";
  cell.arms = {arm_of("a", {100, 110, 90, 100, 105, 95, 100, 100}),
               arm_of("b", {120, 132, 108, 120, 126, 114, 120, 120})};
  for (auto& arm : cell.arms) arm.status = report::Status::incomplete;
  CHECK(judge::precise_enough(cell, {}));
  cell.arms[1].blocks[0].operations = 100;
  cell.arms[1].blocks[3].operations = 400;
  CHECK_FALSE(judge::precise_enough(cell, {}));
}

TEST_CASE("a run that may end early looks whether it may only every fourth block") {
  report::Cell cell;
  cell.baseline = "a";
  std::vector<double> rates(8, 100);
  for (std::size_t blocks = 8; blocks <= 16; ++blocks, rates.push_back(100)) {
    cell.arms = {arm_of("a", rates), arm_of("b", rates)};
    for (auto& arm : cell.arms) arm.status = report::Status::incomplete;
    CAPTURE(blocks);
    CHECK(judge::precise_enough(cell, {}) == (blocks % 4 == 0));
  }
}

TEST_CASE("what a backend does not have is unsupported in words before anything runs") {
  rig::InspectedBackend backend;
  backend.name = "toy";
  backend.state = rig::InspectedBackend::State::ready;
  backend.protocols = TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3;
  backend.transports = TLSRIG_WIRE;
  backend.groups = {"x25519"};
  scenario::TlsSettings tls;
  tls.cipher = "TLS_AES_128_GCM_SHA256";
  CHECK(rig::unsupported_reason(backend, tls, scenario::Transport::wire).empty());
  CHECK(contains(rig::unsupported_reason(backend, tls, scenario::Transport::fd), "fd"));
  tls.group = "secp384r1";
  CHECK(contains(rig::unsupported_reason(backend, tls, scenario::Transport::wire), "secp384r1"));
  tls.group = "x25519";
  tls.version = "1.2";
  tls.cipher = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
  CHECK(contains(rig::unsupported_reason(backend, tls, scenario::Transport::wire), tls.cipher));
  tls.policy = scenario::Policy::as_shipped;
  CHECK(rig::unsupported_reason(backend, tls, scenario::Transport::wire).empty());
}

TEST_CASE("derived seeds are fixed for all time and differ by purpose") {
  CHECK(rig::derive_seed(1, 2, 3) == rig::derive_seed(1, 2, 3));
  CHECK(rig::derive_seed(1, 2, 3) != rig::derive_seed(1, 3, 2));
  CHECK(rig::derive_seed(1, 2, 3) != rig::derive_seed(2, 2, 3));
}

TEST_CASE("the arms of a block run on the same processors, drawn from its seed") {
  scenario::Settings echo, engine;
  engine.workload = scenario::Workload::engine;
  const std::vector<unsigned> allowed = {0, 3, 5, 9};
  std::set<unsigned> drawn;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto both = rig::processors_of(echo, allowed, seed);
    REQUIRE(both.size() == 2);
    REQUIRE(both.at("client").size() == 1);
    CHECK(both.at("client") != both.at("server"));
    CHECK(both == rig::processors_of(echo, allowed, seed));
    const auto one = rig::processors_of(engine, allowed, seed);
    CHECK(one == rig::processors_of(engine, allowed, seed));
    REQUIRE(one.at("engine").size() == 1);
    drawn.insert(one.at("engine").front());
    auto wider = engine;
    wider.engine.threads = 3;  // an arm of more threads has those of the others too
    CHECK(rig::processors_of(wider, allowed, seed).at("engine").front() == one.at("engine").front());
  }
  CHECK(drawn == std::set<unsigned>(allowed.begin(), allowed.end()));

  echo.traffic.threads = 3;
  CHECK(rig::processors_of(echo, allowed, 1).empty());  // six threads, four processors
  echo.relay.present = true;
  echo.traffic.threads = 1;
  CHECK(rig::processors_of(echo, allowed, 1).size() == 3);
  const std::vector<unsigned> two = {0, 3};  // three threads: the relay's alone, the others' together
  const auto shared = rig::processors_of(echo, two, 1);
  REQUIRE(shared.size() == 3);
  CHECK(shared.at("client") == shared.at("server"));
  CHECK(shared.at("client").size() == 1);
  CHECK(shared.at("relay").size() == 1);
  CHECK(shared.at("relay") != shared.at("client"));
  echo.traffic.threads = 2;
  CHECK(rig::processors_of(echo, two, 1).empty());
  engine.measure.processors = scenario::Processors::free;
  CHECK(rig::processors_of(engine, allowed, 1).empty());
}

TEST_CASE("what a worker is to load reaches it whole, and its loader is told the variants' directories") {
  const rig::PluginSource plain{"/p/a.so", "", "", {{"/lib/liba.so", "0a"}, {"/lib/libb.so", ""}}};
  const rig::PluginSource variant{"/p/b.so", "/opt/b", "b", {}}, other{"/p/c.so", "/opt/c", "c", {}};
  const auto sources = rig::sources_of(rig::load_request({plain, variant}));
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].path == "/p/a.so");
  CHECK(sources[0].library_directory.empty());
  REQUIRE(sources[0].files.size() == 2);
  CHECK(sources[0].files[0].path == "/lib/liba.so");
  CHECK(sources[0].files[0].build_id == "0a");
  CHECK(sources[1].library_directory == "/opt/b");
  CHECK(rig::library_path({plain}).empty());
  CHECK(rig::library_path({variant, plain}) == "/opt/b");
  CHECK(rig::library_path({variant, other}) == "/opt/b:/opt/c");
}

TEST_CASE("two builds of one library exclude each other in a process, two libraries do not") {
  const rig::PluginSource plain{"/p/a.so", "", "", {}}, variant{"/p/a.so", "/opt/a", "a", {}},
      third{"/p/a.so", "/opt/b", "a", {}}, other{"/p/c.so", "/opt/c", "c", {}};
  CHECK(rig::exclude_each_other(plain, plain).empty());
  CHECK(rig::exclude_each_other(variant, variant).empty());
  CHECK(rig::exclude_each_other(variant, other).empty());
  CHECK(contains(rig::exclude_each_other(plain, variant), "that of its usual place or that of /opt/a, not both"));
  CHECK(contains(rig::exclude_each_other(variant, third), "that of /opt/a or that of /opt/b, not both"));
}

TEST_CASE("a worker that is a thread answers as a process does, failures too, and ends with its socket") {
  rig::LoadedBackends loaded;
  rig::Interruption interruption(rig::Signals::as_usual);
  const auto ask = [&](rig::WorkerHandle& worker, const Json& request) {
    worker.ask(request);
    return rig::await({&worker}, 1, rig::no_deadline, 0, interruption).front();
  };
  rig::WorkerThread worker("client", loaded);
  const auto early = ask(worker, {{"do", "prepare"}});
  REQUIRE(early.failure);
  CHECK(early.failure->cause == rig::StepFailure::Cause::answered);
  CHECK(contains(early.failure->reason, "client in step prepare: the step \"prepare\" came before \"assign\""));
  const auto refused = ask(worker, rig::load_request({{"/no/such/plugin.so", "", "", {}}}));
  REQUIRE(refused.failure);
  CHECK(refused.failure->kind == "refused");
  CHECK_FALSE(worker.end());
  const rig::WorkerThread abandoned("server", loaded);  // its destructor waits for the thread, which must see the end
}
