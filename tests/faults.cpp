// Plugins that come to grief, in the real program: the fault's arm is failed in words that its writer can act on, all
// other arms are measured, nothing is left running, and the run ends within its deadlines.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <iterator>

#include <unistd.h>

#include "support/program.hpp"
#include "support/small_file_system.hpp"

using namespace tlsrig::tests;
namespace fs = std::filesystem;

namespace {

constexpr double deadline_seconds = 40;  // a hang costs 10 s in a run and 12 s in start; the rest is a slow machine's

// What came of a run in which the plugin `fragile` met a fault.
struct FaultRun {
  std::string wish;
  Ended ended;
  nlohmann::json result;
  double seconds = 0;
  bool left_running = false;

  std::string reason() const {
    if (result.is_null()) return ended.err;
    return arm("fragile").value("reason", "");
  }
  nlohmann::json arm(const std::string& id) const {
    for (const auto& one : result.at("cells").at(0).at("arms"))
      if (one.at("id") == id) return one;
    return {{"id", id}, {"status", "absent"}};
  }
};

// A block has three slices: on a busy machine one of them may pass without an operation coming to its end.
std::string scenario(const std::string& workload,
                     const std::string& backends = "\"openssl\", \"plaintcp\", \"fragile\"") {
  const std::string traffic = workload == "echo" ? "[traffic]\nconnections = 2\n" : "";
  return "schema = 1\nname = \"faults\"\nworkload = \"" + workload + "\"\nbackends = [" + backends + "]\n" + traffic +
         "[measure]\nwarmup = \"10ms\"\nblock = \"60ms\"\nself_check = false\nblocks = { min = 3, max = 3 }\n";
}

// Whether a process still lives that was started with this in its environment.
bool alive(const std::string& marker) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::ifstream stream(process.path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(stream)), {});
    if (environment.find(marker) != std::string::npos) return true;
  }
  return false;
}

enum class Found { by_argument, by_search };

FaultRun run_with(const std::string& wish, const std::string& workload, const std::vector<std::string>& more = {},
                  Found found = Found::by_argument, const std::string& plugin = FAULTS_PLUGIN) {
  static std::atomic<int> count{0};
  const Scratch scratch;
  const std::string marker = "TLSRIG_MARKER=" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ";";
  const auto file = scratch.file("s.toml", scenario(workload));
  std::vector<std::string> arguments{"run", file, "-o", "out"};
  std::vector<std::string> environment{"TLSRIG_FAULT=" + wish, marker};
  if (found == Found::by_argument)
    arguments.insert(arguments.end(), {"-B", plugin});
  else
    environment.push_back("TLSRIG_BACKEND_PATH=" + fs::path(plugin).parent_path().string());
  arguments.insert(arguments.end(), more.begin(), more.end());
  FaultRun run{wish, {}, {}, 0, false};
  const auto begin = std::chrono::steady_clock::now();
  run.ended = run_program(arguments, scratch.path(), environment, deadline_seconds);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.left_running = alive(marker);
  if (fs::exists(scratch / "out" / "result.json")) run.result = read_json(scratch / "out" / "result.json");
  return run;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void check_failed(const FaultRun& run, const std::vector<std::string>& words) {
  INFO(run.wish, ": ", run.reason(), "\n", run.ended.err, run.ended.out);
  CHECK(run.ended.status == 3);
  CHECK_FALSE(run.left_running);
  REQUIRE_FALSE(run.result.is_null());
  CHECK(run.result.at("complete") == true);
  CHECK(run.arm("fragile").at("status") == "failed");
  CHECK(run.arm("fragile").at("metrics").empty());
  for (const auto& part : words) {
    INFO("expected: ", part);
    CHECK(has(run.reason(), part));
  }
  for (const char* other : {"openssl", "plaintcp"}) {
    INFO(other);
    CHECK(run.arm(other).at("status") == "ok");
    CHECK(run.arm(other).at("blocks").size() == 3);
    CHECK(run.arm(other).at("metrics").at("throughput").at("value") > 0);
  }
}

}  // namespace

TEST_SUITE("faults.none") {
  TEST_CASE("without a fault the plugin is measured like the others") {
    for (const char* workload : {"echo", "engine"}) {
      const FaultRun run = run_with("", workload);
      INFO(run.ended.err, run.ended.out);
      CHECK(run.ended.status == 0);
      CHECK(run.arm("fragile").at("status") == "ok");
    }
  }
}

TEST_SUITE("faults.crashes") {
  TEST_CASE("a crash in a slot is told with signal and slot") {
    check_failed(run_with("handshake:segv", "echo"),
                 {"crashed (SIGSEGV) in handshake", "fragile.so", "(step connect)"});
    check_failed(run_with("read:segv@40", "echo"), {"crashed (SIGSEGV) in read", "fragile.so"});
    check_failed(run_with("read:segv@400", "engine"), {"engine: crashed (SIGSEGV) in read", "fragile.so"});
    check_failed(run_with("write:abort@40", "echo"), {"crashed (SIGABRT) in write", "libc.so"});
    check_failed(run_with("close:segv", "echo"), {"crashed (SIGSEGV) in close"});
    check_failed(run_with("destroy_context:segv", "engine"), {"crashed (SIGSEGV) in destroy_context"});
  }

  TEST_CASE("a call of nothing, a breakpoint and an overflown stack are told too") {
#if defined(__x86_64__)
    check_failed(run_with("read:null-call@40", "echo"), {"crashed (SIGSEGV) in read"});
    check_failed(run_with("read:trap@40", "echo"), {"crashed (SIGTRAP) in read"});
#endif
    check_failed(run_with("handshake:overflow", "echo"), {"crashed (SIGSEGV) in handshake"});
  }

  TEST_CASE("a plugin without a symbol table tells its slots by its unwind tables") {
    check_failed(run_with("read:segv@40", "echo", {}, Found::by_argument, FAULTS_STRIPPED),
                 {"crashed (SIGSEGV) in read"});
  }

  TEST_CASE("an abort on a thread of the plugin's own is told as such") {
    check_failed(run_with("start:thread-abort", "echo", {"-s", "measure.block=400ms"}),
                 {"crashed (SIGABRT) on a thread that the plugin started"});
  }

  TEST_CASE("a crash while loading or starting fails the arms of a plugin found by search, and refuses a named one") {
    check_failed(run_with("constructor:segv", "engine", {}, Found::by_search),
                 {"crashed (SIGSEGV) while ", "fragile.so was being loaded: in a constructor"});
    check_failed(run_with("start:segv", "engine", {}, Found::by_search), {"crashed (SIGSEGV) in start"});
    const FaultRun named = run_with("start:segv", "engine");
    INFO(named.ended.err);
    CHECK(named.ended.status == 2);
    CHECK(named.result.is_null());
    CHECK(has(named.ended.err, "crashed (SIGSEGV) in start"));
  }
}

TEST_SUITE("faults.exits") {
  TEST_CASE("an exit is told with its slot and status") {
    check_failed(run_with("read:exit@40", "echo"), {"ended the process by an exit in read", "exit status 0"});
    check_failed(run_with("read:exit@400", "engine"), {"ended the process by an exit in read", "exit status 0"});
    check_failed(run_with("start:exit", "engine", {}, Found::by_search), {"ended the process by an exit in start"});
  }
}

TEST_SUITE("faults.exceptions") {
  TEST_CASE("an exception is told with its slot and its text") {
    check_failed(run_with("create_context:throw", "echo"), {"an exception left create_context: no config"});
    check_failed(run_with("create_context:throw-int", "engine"), {"an exception left create_context: it is not a std"});
    check_failed(run_with("open:throw", "echo"), {"an exception left open: no config"});
    check_failed(run_with("handshake:throw", "echo"),
                 {"let an exception out of handshake: std::runtime_error \"no config\""});
    check_failed(run_with("read:throw@40", "echo"), {"let an exception out of read: std::runtime_error \"no config\""});
    check_failed(run_with("read:throw-int@400", "engine"), {"let an exception out of read: int"});
    check_failed(run_with("write:throw-int@40", "echo"), {"let an exception out of write: int"});
    check_failed(run_with("describe:throw", "engine"), {"let an exception out of describe"});
    check_failed(run_with("destroy_context:throw", "engine"), {"let an exception out of destroy_context"});
    check_failed(run_with("start:throw", "engine", {}, Found::by_search), {"an exception left start: no config"});
  }
}

TEST_SUITE("faults.sizes") {
  TEST_CASE("a size that cannot be is told with the slot") {
    for (const char* workload : {"echo", "engine"}) {
      check_failed(run_with("read:more@40", workload), {"read answered OK with ", "the contract allows 1 to "});
      check_failed(run_with("read:none@40", workload), {"read answered OK with 0 bytes"});
      check_failed(run_with("write:more@40", workload), {"write answered OK with "});
    }
    check_failed(run_with("read:more@2000", "engine", {"-s", "measure.block=100ms"}),
                 {"read answered OK with ", "(read)"});
  }
}

TEST_SUITE("faults.output") {
  TEST_CASE("a disk without a free block is found before anything is measured") {
    const Scratch scratch, disk;
    const auto file = scratch.file("s.toml", scenario("engine", "\"openssl\", \"plaintcp\""));
    const auto words = test_support::on_small_file_system(disk.path(), "64k", [&] {
      test_support::fill(disk.path());
      const Ended ended = run_program({"run", file, "-o", (disk / "out").string()}, scratch.path());
      return std::to_string(ended.status) + ended.err + ended.out;
    });
    if (!words) {
      MESSAGE("skipped: this process may not mount a file system");
      return;
    }
    INFO(*words);
    CHECK(words->starts_with("2tlsrig: cannot write "));
    CHECK(has(*words, "No space left on device"));
  }

  TEST_CASE("a disk that is too small for the result, and /dev/full: exit 3, and what was measured is kept elsewhere") {
    const Scratch scratch, disk, elsewhere;
    const auto file = scratch.file("s.toml", scenario("engine", "\"openssl\", \"plaintcp\""));
    const auto run = [&](const std::vector<std::string>& where) {
      std::vector<std::string> arguments{"run", file};
      arguments.insert(arguments.end(), where.begin(), where.end());
      return run_program(arguments, scratch.path(), {"TMPDIR=" + elsewhere.path().string()});
    };
    const auto check_kept = [&](const std::string& status_and_words) {
      INFO(status_and_words);
      CHECK(status_and_words.starts_with("3"));
      CHECK(has(status_and_words, "No space left on device"));
      const auto begin = status_and_words.find(elsewhere.path().string());
      REQUIRE(begin != std::string::npos);
      const auto kept = read_json(status_and_words.substr(begin, status_and_words.find('\n', begin) - begin));
      CHECK(kept.at("cells").at(0).at("arms").at(0).at("status") == "ok");
    };
    const Ended full = run({"-o", "out", "--export-json", "/dev/full"});
    CHECK(full.status == 3);
    CHECK(has(full.err, "cannot write /dev/full: No space left on device"));
    CHECK(has(full.err, "Result: out/result.json"));
    CHECK(read_json(scratch.path() / "out/result.json").at("complete") == true);
    const auto words = test_support::on_small_file_system(disk.path(), "8k", [&] {
      const Ended ended = run({"-o", disk.path().string()});
      return std::to_string(ended.status) + ended.err;
    });
    if (words)
      check_kept(*words);
    else
      MESSAGE("half of it skipped: this process may not mount a file system");
  }
}

// Each costs its deadline in real time: so they run side by side.
TEST_SUITE("faults.hangs") {
  TEST_CASE("a call that does not return is ended by its deadline, with its slot and what it was doing") {
    struct Hang {
      const char* wish;
      const char* workload;
      Found found;
      std::vector<std::string> words;
    };
#ifdef __SANITIZE_THREAD__  // its run-time keeps a signal back until the next call of the C library
    const char* const spinning = "";
#else
    const char* const spinning = "did not come back from a call in ";
#endif
    const std::vector<Hang> hangs{
        {"start:pause", "engine", Found::by_search, {"did not come back from a call in start", "waiting"}},
        {"start:spin", "engine", Found::by_search, {spinning, "busy"}},
        {"start:deaf", "engine", Found::by_search, {"did not end step load within 12 s (waiting)"}},
        {"read:spin@40", "echo", Found::by_argument, {spinning, *spinning ? "in read" : "", "busy"}},
        {"read:spin@400", "engine", Found::by_argument, {spinning, *spinning ? "in read" : "", "busy"}},
        {"handshake:pause", "echo", Found::by_argument, {"did not come back from a call in handshake", "waiting"}},
    };
    std::vector<std::future<FaultRun>> runs;
    for (const Hang& hang : hangs)
      runs.push_back(
          std::async(std::launch::async, [&hang] { return run_with(hang.wish, hang.workload, {}, hang.found); }));
    for (std::size_t i = 0; i < hangs.size(); ++i) {
      const FaultRun run = runs[i].get();
      check_failed(run, hangs[i].words);
      CHECK(run.seconds < 25);
    }
  }
}
