// Streams and relays through the real program: what is measured of each role, what is proved of each leg, and what is
// left when one of three processes goes.
#include <doctest/doctest.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "support/program.hpp"

using namespace tlsrig::tests;
using Json = nlohmann::json;

namespace {

std::string scenario(const std::string& workload, const std::string& backends, const std::string& rest) {
  return "schema = 1\nname = \"small\"\nworkload = \"" + workload + "\"\nbackends = [" + backends + "]\n" + rest +
         "[measure]\nwarmup = \"20ms\"\nblock = \"40ms\"\nblocks = { min = 2, max = 2 }\nself_check = false\n";
}

struct Measured {
  Ended ended;
  Json result;
};

Measured run(const std::string& text, const std::vector<std::string>& more = {}) {
  Scratch scratch;
  std::vector<std::string> arguments = {"run", scratch.file("s.toml", text), "-o", "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Measured measured{run_program(arguments, scratch.path()), {}};
  measured.result = read_json(scratch.path() / "out/result.json");
  return measured;
}

std::set<std::string> names(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// The workers of both arms, in the order in which they were started: server, relay and client of each.
std::vector<pid_t> workers_in_mid_run(const Running& running) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (running.children().size() == 6) {  // an inspection has one alone
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      auto workers = running.children();
      std::sort(workers.begin(), workers.end());
      if (workers.size() == 6) return workers;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("the run never had six workers");
  return {};
}

}  // namespace

TEST_CASE("a stream has a source and a sink, and is counted at the sink") {
  for (const char* direction : {"to-server", "to-client"}) {
    const auto [ended, result] = run(
        scenario("stream", "\"openssl\", \"plaintcp\"", std::string("[traffic]\ndirection = \"") + direction + "\"\n"));
    INFO(ended.err << ended.out);
    CHECK(ended.status == 0);
    const std::string source = direction == std::string("to-server") ? "client" : "server";
    const std::string sink = source == "client" ? "server" : "client";
    for (const auto& arm : result.at("cells").at(0).at("arms")) {
      INFO(arm.dump(2));
      CHECK(arm.at("status") == "ok");
      const Json& roles = arm.at("proof").at("roles");
      CHECK(names(roles) == std::set<std::string>{"client", "server"});
      CHECK(roles.at(source).at("bytes_out") > roles.at(sink).at("bytes_out"));
      CHECK(roles.at(sink).at("bytes_in") > roles.at(source).at("bytes_in"));
      CHECK(arm.at("metrics").at("cpu_client").at("value") > 0);
      CHECK(arm.at("metrics").at("cpu_server").at("value") > 0);
      CHECK_FALSE(arm.at("metrics").contains("service_time_p50"));
    }
  }
}

TEST_CASE("a pipe has three roles with their own costs and two legs with their own proof") {
  const auto [ended, result] = run(scenario("pipe", "\"openssl\", \"gnutls\", \"plaintcp\"",
                                            "[relay]\noutbound = \"tls\"\n[roles]\nserver = \"openssl\"\n"));
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  for (const auto& arm : result.at("cells").at(0).at("arms")) {
    INFO(arm.dump(2));
    CHECK(arm.at("status") == "ok");
    CHECK(names(arm.at("proof").at("roles")) ==
          std::set<std::string>{"client", "relay_inbound", "relay_outbound", "server"});
    const bool plain = arm.at("id") == "plaintcp";
    CHECK(arm.at("roles").at("relay") == arm.at("id"));
    CHECK(arm.at("roles").at("server") == (plain ? "plaintcp" : "openssl"));
    CHECK(arm.at("proof").at("version") == (plain ? "none" : "1.3"));
    for (const char* metric : {"cpu_client", "cpu_relay", "cpu_server"})
      CHECK(arm.at("metrics").at(metric).at("value") > 0);
  }
}

TEST_CASE("records and calls at a relay are what its way to read says") {
  const auto [ended, result] =
      run("arms = \"relay.read\"\n" +
          scenario("pipe", "\"openssl\"",
                   "[roles]\nclient = { backend = \"backend\", transport = \"wire\" }\n"
                   "[relay]\ntransport = \"wire\"\n[traffic]\nmessage_size = 64\nwrite = \"batched\"\n"
                   "[matrix]\n\"relay.read\" = [\"per-record\", \"coalesce\"]\n"));
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  for (const auto& arm : result.at("cells").at(0).at("arms")) {
    INFO(arm.dump(2));
    const auto per_message = [&](const char* part, const char* count, const char* operations) {
      const Json& counts = arm.at("proof").at("roles").at(part);
      return counts.at(count).get<double>() / counts.at(operations).get<double>();
    };
    CHECK(per_message("client", "records_out", "warmup_operations") == doctest::Approx(1).epsilon(0.02));
    CHECK(per_message("relay_inbound", "records_in", "warmup_operations") == doctest::Approx(1).epsilon(0.02));
    CHECK(per_message("client", "writes", "operations") < 0.1);
    CHECK(per_message("server", "bytes_in", "operations") == doctest::Approx(64).epsilon(0.02));
    const double writes = per_message("relay_outbound", "writes", "operations");
    if (arm.at("id") == "per-record")
      CHECK(writes == doctest::Approx(1).epsilon(0.05));
    else
      CHECK(writes < 0.2);
  }
}

TEST_CASE("what runs unmeasured until a pipeline is full is in no number") {
  const auto [ended, result] = run(scenario("echo", "\"plaintcp\"", "[traffic]\nconnections = 4\npipeline = 8\n"),
                                   {"-s", "measure.warmup=60ms"});
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const Json& arm = result.at("cells").at(0).at("arms").at(0);
  INFO(arm.dump(2));
  std::uint64_t operations = 0, timed = 0;
  for (const auto& block : arm.at("blocks")) {
    operations += block.at("operations").get<std::uint64_t>();
    for (const auto& bucket : block.at("histogram")) timed += bucket.at(1).get<std::uint64_t>();
  }
  CHECK(timed == operations);
  const auto counted = arm.at("proof").at("roles").at("client").at("operations").get<std::uint64_t>();
  const std::uint64_t blocks = arm.at("blocks").size();
  CHECK(counted >= operations);
  CHECK(counted <= operations + blocks * 4 * 8);  // those that were under way when the last slice ended
}

TEST_CASE("an echo goes through a relay, whatever its legs speak") {
  const auto [ended, result] =
      run(scenario("echo", "\"openssl\", \"wolfssl\"",
                   "[matrix]\n\"relay.inbound\" = [\"tls\", \"plain\"]\n\"relay.outbound\" = [\"tls\"]\n"));
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  REQUIRE(result.at("cells").size() == 2);
  for (const auto& cell : result.at("cells")) {
    for (const auto& arm : cell.at("arms")) {
      INFO(arm.dump(2));
      CHECK(arm.at("status") == "ok");
      CHECK(arm.at("metrics").at("service_time_p50").at("value") > 0);
      CHECK(arm.at("metrics").at("cpu_relay").at("value") > 0);
    }
  }
}

TEST_CASE("the roles of a relay run as threads of one process when asked to") {
  const auto [ended, result] = run(scenario("pipe", "\"openssl\"", "[relay]\n"), {"--in-process"});
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  CHECK(result.at("cells").at(0).at("arms").at(0).at("status") == "ok");
}

TEST_CASE("a relay that is killed fails its own arm and no other") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("pipe", "\"openssl\", \"plaintcp\"", "[relay]\n"));
  Running running({"run", file, "-o", "out", "-s", "measure.block=2s", "-r", "1"}, scratch.path());
  CHECK(kill(workers_in_mid_run(running).at(1), SIGKILL) == 0);
  const auto ended = running.wait(60);
  INFO(ended.err << ended.out);
  CHECK(ended.status == 3);
  const Json result = read_json(scratch.path() / "out/result.json");
  int failed = 0, good = 0;
  for (const auto& arm : result.at("cells").at(0).at("arms")) {
    if (arm.at("status") == "ok") ++good;
    if (arm.at("status") != "failed") continue;
    ++failed;
    CHECK(arm.at("reason").get<std::string>().find("the relay's worker was killed by SIGKILL") != std::string::npos);
  }
  CHECK(failed == 1);
  CHECK(good == 1);
}
