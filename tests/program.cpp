// The program as its users meet it: commands, exit statuses, what is left when something goes wrong.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "support/program.hpp"

using namespace tlsrig::tests;

namespace {

const std::string short_measure =
    "[measure]\nwarmup = \"20ms\"\nblock = \"40ms\"\nblocks = { min = 6, max = 6 }\nself_check = false\n";

std::string echo_scenario(const std::string& backends, const std::string& rest = "") {
  return "schema = 1\nname = \"small\"\nworkload = \"echo\"\nbackends = [" + backends +
         "]\n[traffic]\nconnections = 4\n" + rest + short_measure;
}

std::string engine_scenario(const std::string& backends, const std::string& rest = "") {
  return "schema = 1\nname = \"small\"\nworkload = \"engine\"\nbackends = [" + backends + "]\n" + rest + short_measure;
}

nlohmann::json arm(const nlohmann::json& result, const std::string& id, std::size_t cell = 0) {
  for (const auto& one : result.at("cells").at(cell).at("arms"))
    if (one.at("id") == id) return one;
  FAIL("no arm " << id);
  return {};
}

// Runs a shell script in the directory; gives its exit status.
int run_script(const Scratch& scratch, const std::string& script) {
  scratch.file("script.sh", script);
  return WEXITSTATUS(std::system(("cd " + scratch.path().string() + " && sh script.sh").c_str()));
}

// Waits until the run has a child that plays a role: an inspection's worker ends too soon to be meant.
pid_t a_worker_in_mid_run(Running& running) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (const auto children = running.children(); children.size() >= 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      const auto still = running.children();
      if (still.size() >= 4) return still.front();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("the run never had four workers");
  return -1;
}

}  // namespace

TEST_CASE("run measures every backend and proves what it measured") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", echo_scenario("\"openssl\", \"boringssl\", \"wolfssl\", \"plaintcp\""));
  const auto ended = run_program({"run", file, "-o", "out", "--seed", "7"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("complete") == true);
  CHECK(result.at("seed") == 7);
  for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
    const auto measured = arm(result, name);
    INFO(measured.dump(2));
    CHECK(measured.at("status") == "ok");
    CHECK(measured.at("proof").at("version") == "1.3");
    CHECK(measured.at("proof").at("cipher") == "TLS_AES_128_GCM_SHA256");
    CHECK(measured.at("proof").at("group") == "x25519");
    CHECK(measured.at("proof").at("peer_verified") == true);
    CHECK(measured.at("proof").at("connections").at("achieved") == 4);
    CHECK(measured.at("proof").at("bytes_verified") > 0);
    CHECK(measured.at("settings").at("socket").at("in_force").at("client").at("congestion_control") == "reno");
    CHECK(measured.at("blocks").size() == 6);
    CHECK(measured.at("metrics").at("throughput").at("value") > 0);
    CHECK(measured.at("metrics").at("cpu_client").at("value") > 0);
    CHECK(measured.at("metrics").at("cpu_server").at("value") > 0);
    CHECK(measured.at("metrics").at("service_time_p50").at("value") > 0);
  }
  CHECK(arm(result, "plaintcp").at("proof").at("version") == "none");
}

TEST_CASE("run measures the engine operations") {
  Scratch scratch;
  const auto file =
      scratch.file("s.toml", engine_scenario("\"openssl\", \"plaintcp\"",
                                             "[matrix]\n\"engine.operation\" = [\"handshake\", \"wrap\", \"unwrap\", "
                                             "\"wrap-unwrap\"]\n"));
  const auto ended = run_program({"run", file, "-o", "out"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  REQUIRE(result.at("cells").size() == 4);
  for (std::size_t cell = 0; cell < 4; ++cell) {
    CHECK(arm(result, "openssl", cell).at("status") == "ok");
    CHECK(arm(result, "openssl", cell).at("metrics").at("cpu_engine").at("value") > 0);
  }
}

TEST_CASE("resumed handshakes are measured, and that they were resumed is seen on the wire") {
  Scratch scratch;
  const auto file = scratch.file(
      "s.toml", engine_scenario("\"openssl\", \"boringssl\", \"wolfssl\", \"plaintcp\"",
                                "[engine]\noperation = \"handshake-resumed\"\n[tls]\nresumption = \"ticket\"\n"
                                "tickets = 1\n[matrix]\n\"tls.version\" = [\"1.3\", \"1.2\"]\n"));
  const auto ended = run_program({"run", file, "-o", "out"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  REQUIRE(result.at("cells").size() == 2);
  for (std::size_t cell = 0; cell < 2; ++cell) {
    CHECK(arm(result, "plaintcp", cell).at("status") == "ok");
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const auto measured = arm(result, name, cell);
      INFO(measured.dump(2));
      CHECK(measured.at("status") == "ok");
      CHECK(measured.at("proof").at("resumed") == nlohmann::json{{"yes", 1}, {"no", 0}});
      CHECK(measured.at("proof").at("source").at("resumed") == "wire");
      if (cell == 0) CHECK(measured.at("proof").at("tickets") >= 6);  // one at least in each of six blocks
    }
  }
}

TEST_CASE("a worker killed in mid-run fails its own arm and no other") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", echo_scenario("\"openssl\", \"boringssl\", \"plaintcp\""));
  Running running({"run", file, "-o", "out", "-s", "measure.block=400ms"}, scratch.path());
  CHECK(kill(a_worker_in_mid_run(running), SIGKILL) == 0);
  const auto ended = running.wait(120);
  INFO(ended.err << ended.out);
  CHECK(ended.status == 3);
  const auto result = read_json(scratch.path() / "out/result.json");
  int failed = 0;
  for (const auto& one : result.at("cells").at(0).at("arms")) {
    if (one.at("status") == "failed") {
      ++failed;
      CHECK(one.at("reason").get<std::string>().find("SIGKILL") != std::string::npos);
      CHECK(one.at("metrics").empty());
    } else {
      CHECK(one.at("status") == "ok");
      CHECK(one.at("blocks").size() == 6);
    }
  }
  CHECK(failed == 1);
}

TEST_CASE("an interrupt keeps what is there and leaves no process behind") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", echo_scenario("\"openssl\", \"plaintcp\"",
                                                         "[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n"));
  Running running({"run", file, "-o", "out", "-s", "measure.block=2s"}, scratch.path());
  const pid_t worker = a_worker_in_mid_run(running);
  CHECK(kill(running.pid(), SIGINT) == 0);
  const auto ended = running.wait(30);
  INFO(ended.err << ended.out);
  CHECK(ended.status == 130);
  CHECK(kill(worker, 0) != 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("complete") == false);
  CHECK(arm(result, "openssl").at("status") == "incomplete");
}

TEST_CASE("what is wrong beforehand ends in exit 2 and measures nothing") {
  Scratch scratch;
  const auto good = scratch.file("good.toml", echo_scenario("\"openssl\""));
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
    const auto ended = run_program(arguments, scratch.path());
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.err.find(words) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "results"));
  };
  refused({"run", scratch.file("typo.toml", echo_scenario("\"openssl\"", "mesage_size = \"1KiB\"\n"))}, "message_size");
  refused({"run", scratch.file("who.toml", echo_scenario("\"opensll\""))}, "openssl");
  refused({"run", "no-such.toml"}, "no-such.toml");
  refused({"run", good, "--no-such-flag"}, "no-such-flag");
  refused({"run", good, "-r", "0"}, "from 1 to 1000");
  refused({"run", good, "--seed", "18446744073709551616"}, "--seed");
  refused({"run", good, "-b", "no-such"}, "no-such");
  refused({"run", good, "-B", "/no/such/plugin.so"}, "/no/such/plugin.so");
  refused({"run", good, "-P", "traffic.connections"}, "KEY=VALUE");
  refused({"run", good, "--export-json", "/no/such/directory/r.json"}, "/no/such/directory");
  refused({"run", good, "-o", good}, good);
  refused({"run", good, "-o", "/proc/nowhere"}, "/proc/nowhere");
  refused({"run", good, "--export-json", "/dev/full/x"}, "/dev/full");
  refused({"run", good, good}, "small");
  refused({"validate", scratch.file("empty.toml", "")}, "schema");
  refused({}, "");
}

TEST_CASE("too many connections for the limit on descriptors are refused with the numbers") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", echo_scenario("\"plaintcp\""));
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few{64, 64};
  // A child inherits the limit; lowering a hard limit cannot be undone, so a shell does it.
  const auto script = scratch.file(
      "limited.sh", std::string("ulimit -n 64\nexec ") + TLSRIG_PROGRAM + " run s.toml -s traffic.connections=200\n");
  CHECK(few.rlim_cur < before.rlim_cur);
  const int status = std::system(("cd " + scratch.path().string() + " && sh limited.sh 2> err").c_str());
  CHECK(WEXITSTATUS(status) == 2);
  const auto words = read_file(scratch.path() / "err");
  INFO(words);
  CHECK(words.find("descriptors") != std::string::npos);
  CHECK(words.find("64") != std::string::npos);
}

TEST_CASE("a plugin given by -B must be usable, and one that is passed over for another is told of") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", engine_scenario("\"plaintcp\""));
  const std::string plugin = std::string(TLSRIG_PLUGINS) + "/plaintcp.so";
  std::filesystem::copy(plugin, scratch.path() / "other.so");
  const auto misnamed = run_program({"run", file, "-B", "other.so"}, scratch.path());
  INFO(misnamed.err);
  CHECK(misnamed.status == 2);
  CHECK(misnamed.err.find("plaintcp") != std::string::npos);
  std::filesystem::create_directories(scratch.path() / "mine");
  scratch.file("mine/plaintcp.so", "not a library");
  const auto none = run_program({"run", file, "-B", "mine"}, scratch.path());
  CHECK(none.status == 2);
  CHECK(none.err.find("-B mine: no usable plugin is in this directory") != std::string::npos);
  CHECK(none.err.find("mine/plaintcp.so") != std::string::npos);
  std::filesystem::copy(std::string(TLSRIG_PLUGINS) + "/openssl.so", scratch.path() / "mine/openssl.so");
  const auto passed_over = run_program({"run", file, "-B", "mine", "-o", "out"}, scratch.path());
  INFO(passed_over.err);
  CHECK(passed_over.status == 0);
  CHECK(passed_over.err.find("passed over: ") != std::string::npos);
  CHECK(passed_over.err.find("mine/plaintcp.so") != std::string::npos);
}

TEST_CASE("closed standard descriptors and a limit on file sizes lose no result and kill nothing") {
  Scratch scratch;
  scratch.file("s.toml", engine_scenario("\"plaintcp\""));
  const std::string run = std::string(TLSRIG_PROGRAM) + " run s.toml ";
  const int closed = run_script(scratch, run + "-o closed <&- >&- 2>&-\n");
  CHECK(closed == 3);  // what was measured is kept, and the report could not be printed
  CHECK(arm(read_json(scratch.path() / "closed/result.json"), "plaintcp").at("status") == "ok");
  CHECK(run_script(scratch, "ulimit -f 9\n" + run + "-o limited > /dev/null 2> err\n") == 3);
  CHECK(read_file(scratch.path() / "err").find("limited/result.json") != std::string::npos);
}

TEST_CASE("what the program was started to ignore stays ignored, and a full output is told of") {
  Scratch scratch;
  scratch.file("s.toml", engine_scenario("\"plaintcp\""));
  const std::string program = TLSRIG_PROGRAM;
  CHECK(run_script(scratch, "trap '' HUP INT CHLD\n" + program + " run s.toml -o out > /dev/null 2>&1 &\nrun=$!\n" +
                                "sleep 0.3\nkill -HUP $run\nkill -INT $run\nwait $run\n") == 0);
  CHECK(arm(read_json(scratch.path() / "out/result.json"), "plaintcp").at("status") == "ok");
  CHECK(run_script(scratch, program + " list backends > /dev/full 2> err\n") == 3);
  CHECK(read_file(scratch.path() / "err").find("No space left on device") != std::string::npos);
  CHECK(run_script(scratch, program + " validate s.toml > /dev/full 2> err\n") == 3);
}

TEST_CASE("a backend that cannot do what is asked is unsupported in words, and 77 when no arm is left") {
  Scratch scratch;
  const std::string chacha = "[tls]\ncipher = \"TLS_CHACHA20_POLY1305_SHA256\"\n";
  const auto file = scratch.file("s.toml", engine_scenario("\"boringssl\"", chacha));
  const auto ended = run_program({"run", file, "-o", "out"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 77);
  const auto measured = arm(read_json(scratch.path() / "out/result.json"), "boringssl");
  CHECK(measured.at("status") == "unsupported");
  CHECK(measured.at("reason").get<std::string>().find("TLS_CHACHA20_POLY1305_SHA256") != std::string::npos);
}

TEST_CASE("a shipped backend without its plugin is unsupported, and the others run") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", engine_scenario("\"plaintcp\", \"wolfssl\""));
  std::filesystem::create_directories(scratch.path() / "bin");
  std::filesystem::create_directories(scratch.path() / "lib/tlsrig");
  std::filesystem::copy(TLSRIG_PROGRAM, scratch.path() / "bin/tlsrig");
  std::filesystem::copy(std::string(TLSRIG_PLUGINS) + "/plaintcp.so", scratch.path() / "lib/tlsrig/plaintcp.so");
  const auto command = "cd " + scratch.path().string() + " && bin/tlsrig run s.toml -o out > out.txt 2> err.txt";
  CHECK(WEXITSTATUS(std::system(command.c_str())) == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(arm(result, "plaintcp").at("status") == "ok");
  CHECK(arm(result, "wolfssl").at("status") == "unsupported");
  CHECK(arm(result, "wolfssl").at("reason").get<std::string>().find("not installed (looked in") != std::string::npos);
}

TEST_CASE("dry-run shows the plan and measures nothing") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", echo_scenario("\"openssl\", \"plaintcp\""));
  const auto ended = run_program({"run", file, "--dry-run", "-P", "traffic.message_size=64B,1KiB"}, scratch.path());
  CHECK(ended.status == 0);
  CHECK(ended.out.find("small/message_size=64B") != std::string::npos);
  CHECK(ended.out.find("2 cells") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "results"));
}

TEST_CASE("lists are for people and for programs") {
  Scratch scratch;
  const auto backends = run_program({"list", "backends", "--json"}, scratch.path());
  INFO(backends.err);
  REQUIRE(backends.status == 0);
  const auto listed = nlohmann::json::parse(backends.out);
  CHECK(listed.size() >= 4);
  for (const auto& backend : listed)
    if (backend.at("name") == "openssl") {
      CHECK(backend.at("files").size() == 2);
      CHECK(backend.at("library").get<std::string>().find("OpenSSL") != std::string::npos);
    }
  CHECK(run_program({"list", "backends"}, scratch.path()).out.find("wolfssl") != std::string::npos);
  CHECK(nlohmann::json::parse(run_program({"list", "workloads", "--json"}, scratch.path()).out).size() == 4);
  CHECK(run_program({"list", "scenarios"}, scratch.path()).out.find("quick-echo") != std::string::npos);
}

TEST_CASE("the result goes to standard output as JSON when asked") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", engine_scenario("\"plaintcp\""));
  const auto ended = run_program({"run", file, "--export-json", "-", "-o", "out", "-q"}, scratch.path());
  CHECK(ended.status == 0);
  CHECK(nlohmann::json::parse(ended.out).at("schema") == 1);
  CHECK(ended.err.empty());
}
