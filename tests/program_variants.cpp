// Other builds of the libraries beside the first, and one arm in the program's own process.
#include <doctest/doctest.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "support/program.hpp"

using namespace tlsrig::tests;
namespace fs = std::filesystem;

namespace {

std::string scenario(const std::string& workload, const std::string& backends, const std::string& rest = "") {
  return "schema = 1\nname = \"small\"\nworkload = \"" + workload + "\"\nbackends = [" + backends + "]\n" +
         (workload == "echo" ? "[traffic]\nconnections = 4\n" : "") + rest +
         "[measure]\nwarmup = \"10ms\"\nblock = \"20ms\"\nblocks = { min = 2, max = 2 }\nself_check = false\n";
}

// The library files of every installed backend that has any, as the program tells them: by backend, {path, build-id}.
std::map<std::string, std::vector<std::pair<fs::path, std::string>>> installed_libraries() {
  const Scratch scratch;
  std::map<std::string, std::vector<std::pair<fs::path, std::string>>> libraries;
  const auto listed = nlohmann::json::parse(run_program({"list", "backends", "--json"}, scratch.path()).out);
  for (const auto& backend : listed)
    if (backend.at("state") == "ready" && backend.at("name") != "plaintcp")
      for (const auto& file : backend.at("files"))
        libraries[backend.at("name")].emplace_back(file.at("path").get<std::string>(),
                                                   file.at("build_id").get<std::string>());
  return libraries;
}

// The name under which others need a library file: that of a link to it, where it has one with less of a version.
std::string needed_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const auto& entry : fs::directory_iterator(file.parent_path())) {
    const std::string other = entry.path().filename().string();
    if (entry.is_symlink() && other.find(".so.") != std::string::npos && fs::equivalent(entry.path(), file))
      name = other;
  }
  return name;
}

// A copy of a library that is another build as far as anybody can tell: its build-id differs in every byte.
void copy_as_other_build(const fs::path& file, const std::string& build_id, const fs::path& directory) {
  fs::create_directories(directory);
  std::string bytes = read_file(file), id;
  for (std::size_t i = 0; i < build_id.size(); i += 2)
    id += static_cast<char>(std::stoi(build_id.substr(i, 2), nullptr, 16));
  const std::size_t at = bytes.find(id);
  REQUIRE(at != std::string::npos);
  for (std::size_t i = 0; i < id.size(); ++i) bytes[at + i] = static_cast<char>(~bytes[at + i]);
  std::ofstream(directory / needed_name(file), std::ios::binary) << bytes;
}

// Another build of a backend's library.
fs::path other_build(const std::string& backend, const fs::path& directory) {
  static const auto libraries = installed_libraries();
  for (const auto& [file, build_id] : libraries.at(backend)) copy_as_other_build(file, build_id, directory);
  return directory;
}

nlohmann::json named(const nlohmann::json& list, const std::string& key, const std::string& name) {
  for (const auto& one : list)
    if (one.at(key) == name) return one;
  FAIL("none is called " << name);
  return {};
}

nlohmann::json arm(const nlohmann::json& result, const std::string& id) {
  return named(result.at("cells").at(0).at("arms"), "id", id);
}

std::string reason(const nlohmann::json& arm) { return arm.at("reason").get<std::string>(); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("another build of every library stands beside the first in one run") {
  const Scratch scratch;
  std::vector<std::string> arguments{
      "run", scratch.file("s.toml", scenario("engine", "\"openssl\", \"boringssl\", \"wolfssl\", \"plaintcp\"")), "-o",
      "out"};
  const std::vector<std::string> plugins{"openssl", "boringssl", "wolfssl"};
  for (const auto& plugin : plugins) {
    other_build(plugin, scratch / plugin);
    arguments.insert(arguments.end(), {"--variant", "other-" + plugin + "=" + plugin + ":" + plugin});
  }
  arguments.insert(arguments.end(), {"--baseline", "other-openssl"});
  const auto ended = run_program(arguments, scratch.path());
  INFO(ended.err << ended.out);
  REQUIRE(ended.status == 0);
  const auto result = read_json(scratch / "out/result.json");
  REQUIRE(result.at("cells").at(0).at("arms").size() == 7);
  CHECK(result.at("cells").at(0).at("arms").at(1).at("id") == "other-openssl");
  for (const auto& plugin : plugins) {
    const std::string name = "other-" + plugin;
    const auto variant = named(result.at("backends"), "variant", name);
    CHECK(variant.at("name") == plugin);
    CHECK(variant.at("library").get<std::string>().size() > 2);
    for (const auto& plain : result.at("backends")) {
      if (plain.at("name") != plugin || !plain.at("variant").is_null()) continue;
      REQUIRE(plain.at("files").size() == variant.at("files").size());
      for (std::size_t i = 0; i < plain.at("files").size(); ++i) {
        const auto &mine = variant.at("files").at(i), &other = plain.at("files").at(i);
        CHECK(fs::path(mine.at("path").get<std::string>()).parent_path() == scratch / plugin);
        CHECK_FALSE(other.at("path").get<std::string>().starts_with(scratch.path().string()));
        CHECK(mine.at("build_id") != other.at("build_id"));
      }
      CHECK(variant.at("warnings") == plain.at("warnings"));
    }
    const auto measured = arm(result, name);
    CHECK(measured.at("status") == "ok");
    CHECK(measured.at("backend") == plugin);
    CHECK(measured.at("variant") == name);
    CHECK(measured.at("roles").at("client") == name);
    CHECK(measured.at("metrics").at("throughput").at("value") > 0);
    CHECK(arm(result, plugin).at("variant").is_null());
    CHECK(has(ended.out, "\n  " + name + " "));
  }
  for (const auto& comparison : result.at("cells").at(0).at("comparisons"))
    CHECK(comparison.at("baseline") == "other-openssl");
}

TEST_CASE("a file's variant plays one role of an echo, and the same build under two names is told of") {
  const Scratch scratch, elsewhere;
  fs::create_directories(scratch / "same");
  const auto libraries = installed_libraries();
  for (const auto& [library, build_id] : libraries.at("wolfssl"))
    fs::create_symlink(library, scratch / "same" / needed_name(library));
  const std::string variant = "[variant.same]\nplugin = \"wolfssl\"\nlibrary_directory = \"same\"\n";
  const auto file = scratch.file("s.toml", scenario("echo", "\"wolfssl\"", "[roles]\nserver = \"same\"\n" + variant));
  const auto ended = run_program({"run", file, "-o", "out"}, elsewhere.path());  // the path is relative to the file
  INFO(ended.err << ended.out);
  REQUIRE(ended.status == 0);
  const auto result = read_json(elsewhere / "out/result.json");
  CHECK(arm(result, "wolfssl").at("status") == "ok");
  CHECK(arm(result, "wolfssl").at("roles") == nlohmann::json{{"client", "wolfssl"}, {"server", "same"}});
  CHECK(arm(result, "wolfssl").at("variant").is_null());
  const auto same = named(result.at("backends"), "variant", "same");
  CHECK(same.at("warnings").dump().find("the same build as wolfssl: their build-ids are equal") != std::string::npos);
  CHECK(result.at("scenarios").at(0).at("effective").at("variant").at("same").at("library_directory") ==
        (scratch / "same").string());
}

TEST_CASE("what is wrong with a variant ends in exit 2 and measures nothing") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("engine", "\"openssl\", \"plaintcp\""));
  other_build("openssl", scratch / "whole");
  fs::create_directories(scratch / "half");
  fs::copy_file(scratch / "whole/libssl.so.3", scratch / "half/libssl.so.3");
  fs::create_directories(scratch / "empty");
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"run", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = run_program(arguments, scratch.path());
    INFO(ended.err);
    CHECK(ended.status == 2);
    for (const auto& one : words) CHECK(has(ended.err, one));
    CHECK_FALSE(fs::exists(scratch / "results"));
  };
  const std::string half = (scratch / "half").string();
  refused({"--variant", "x=openssl:half"},
          {"variant x ", ": libcrypto.so.3 came from /", ", not from the variant's directory " + half,
           half + " has no libcrypto.so.3: put it there too"});
  refused({"--variant", "x=openssl:empty"}, {"/empty has no libssl.so.3, libcrypto.so.3, which the plugin needs"});
  refused({"--variant", "x=openssl:."}, {"which the plugin needs: name " + (scratch / "whole").string()});
  refused({"--variant", "x=openssl:nowhere"}, {"--variant x=openssl:nowhere: ", "/nowhere\" does not exist"});
  refused({"--variant", "x=openssl:s.toml"}, {"/s.toml\" is no directory"});
  refused({"--variant", "x=opnssl:whole"}, {"did you mean \"openssl\"?"});
  refused({"--variant", "wolfssl=openssl:whole"}, {"\"wolfssl\" is a backend already"});
  refused({"--variant", "x=plaintcp:whole"}, {"plaintcp has no library of its own"});
  refused({"--variant", "x=wolfssl:whole"}, {"--variant x: no scenario of this run takes it; none compares wolfssl"});
  refused({"--variant", "x=openssl:whole", "-b", "openssl"}, {"no scenario of this run takes it; name it in -b too"});
  scratch.file("empty/libssl.so.3", "no library");
  refused({"--variant", "x=openssl:empty"}, {"/empty/libssl.so.3 "});
  const std::string table = "[variant.x]\nplugin = \"openssl\"\nlibrary_directory = \"";
  const auto with = [&](const char* name, const std::string& directory) {
    std::string text = scenario("engine", "\"openssl\", \"x\"", table + directory + "\"\n");
    text.replace(text.find("small"), 5, name);
    return scratch.file(std::string(name) + ".toml", text);
  };
  refused({with("one", "whole"), with("two", "half")}, {"two.toml: its variant \"x\" is openssl in ", "rename one"});
  refused({with("three", "half")}, {"variant x ", "libcrypto.so.3 came from "});
}

TEST_CASE("one process holds one build of a library, and a plain backend never takes a variant's") {
  const Scratch scratch;
  other_build("openssl", scratch / "all");
  other_build("wolfssl", scratch / "all");
  const std::string tables =
      "[variant.o]\nplugin = \"openssl\"\nlibrary_directory = \"all\"\n"
      "[variant.w]\nplugin = \"wolfssl\"\nlibrary_directory = \"all\"\n";
  const auto file = scratch.file(
      "s.toml", scenario("engine", "\"o\", \"w\", \"wolfssl\"", "[roles]\nserver = \"openssl\"\n" + tables));
  const auto ended = run_program({"run", file, "-o", "out"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 3);
  const auto result = read_json(scratch / "out/result.json");
  CHECK(arm(result, "wolfssl").at("status") == "ok");
  CHECK(arm(result, "o").at("status") == "unsupported");
  CHECK(has(reason(arm(result, "o")), "which can hold one build of a library only: that of " +
                                          (scratch / "all").string() + " or that of its usual place"));
  CHECK(arm(result, "w").at("status") == "failed");
  CHECK(has(reason(arm(result, "w")), "its library came from " + (scratch / "all/libssl.so.3").string()));
  CHECK(has(reason(arm(result, "w")), ", not from /"));
}

TEST_CASE("--in-process runs one arm in the program's own process, as it is measured elsewhere") {
  const Scratch scratch;
  other_build("openssl", scratch / "other");
  const auto file = scratch.file("s.toml", scenario("echo", "\"openssl\", \"boringssl\"") + "seed = 3\n");
  const std::vector<std::string> base{"run", file, "--in-process", "-o", "out", "-s", "measure.self_check=true"};
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = base;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = run_program(arguments, scratch.path());
    INFO(ended.err << ended.out);
    REQUIRE(ended.status == 0);
    CHECK(has(ended.out, "one for all roles, as threads (--in-process)"));
    return read_json(scratch / "out/result.json");
  };
  auto result = run({"-b", "boringssl"});
  CHECK(result.at("in_process") == true);
  CHECK(result.at("cells").at(0).at("arms").size() == 1);
  const auto measured = arm(result, "boringssl");
  CHECK(measured.at("status") == "ok");
  CHECK(measured.at("proof").at("connections").at("achieved") == 4);
  for (const char* role : {"client", "server"}) {
    CHECK(measured.at("metrics").at(std::string("cpu_") + role).at("value") > 0);
    for (const auto& block : measured.at("blocks")) {
      const auto& use = block.at("roles").at(role);
      const double cpu = use.at("cpu_user").get<double>() + use.at("cpu_system").get<double>();
      CHECK(cpu <= 1.2 * block.at("seconds").get<double>());  // one thread's, not the process's
    }
  }
  // A role of several threads cannot be told apart from the others: no figure rather than a wrong one.
  result = run({"-b", "openssl", "-s", "traffic.threads=2"});
  CHECK(arm(result, "openssl").at("status") == "ok");
  CHECK_FALSE(arm(result, "openssl").at("metrics").contains("cpu_client"));
  CHECK(arm(result, "openssl").at("blocks").at(0).at("roles").empty());
  // The loader is told a variant's directory at the start of the process, which therefore starts anew.
  result = run({"-b", "x", "--variant", "x=openssl:other"});
  CHECK(arm(result, "x").at("status") == "ok");
  CHECK(has(result.at("backends").at(0).at("files").at(0).at("path").get<std::string>(),
            (scratch / "other/lib").string()));
  result = run({"-b", "openssl", "-P", "roles.server=boringssl"});
  CHECK(arm(result, "openssl").at("roles").at("server") == "boringssl");
}

TEST_CASE("--in-process has one arm or says which there are") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("engine", "\"openssl\", \"plaintcp\""));
  const auto many = run_program({"run", file, "--in-process", "-P", "engine.message_size=1KiB,2KiB"}, scratch.path());
  CHECK(many.status == 2);
  CHECK(has(many.err, "--in-process runs one arm, and this plan has 4 in 2 cells: choose one with -b NAME, --filter"));
  CHECK(has(many.err, "\n  small/message_size=1KiB: openssl plaintcp\n  small/message_size=2KiB: openssl plaintcp\n"));
  const auto one = run_program({"run", file, "--in-process", "-P", "engine.message_size=1KiB,2KiB", "--filter", "2KiB",
                                "-b", "plaintcp", "-o", "out"},
                               scratch.path());
  INFO(one.err << one.out);
  CHECK(one.status == 0);
  CHECK(arm(read_json(scratch / "out/result.json"), "plaintcp").at("metrics").at("cpu_engine").at("value") > 0);
}

TEST_CASE("a signal ends an in-process run as it ends any program, and nothing is left of it") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("echo", "\"openssl\""));
  for (const int signal : {SIGSEGV, SIGINT}) {
    Running running({"run", file, "--in-process", "-o", "out", "-s", "measure.block=5s"}, scratch.path(),
                    {"ASAN_OPTIONS=handle_segv=0", "TSAN_OPTIONS=handle_segv=0"});  // else a sanitizer ends it itself
    const auto threads = fs::path("/proc") / std::to_string(running.pid()) / "task";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::error_code gone;
    const auto count = [&] { return std::distance(fs::directory_iterator(threads, gone), fs::directory_iterator()); };
    while (count() < 3 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(count() >= 3);  // the rig's own, and one of each role; a sanitizer may have another
    CHECK(running.children().empty());
    CHECK(kill(running.pid(), signal) == 0);
    CHECK(running.wait(20).status == 128 + signal);
  }
}

TEST_CASE("-P takes values with commas, in quotes, braces or a list") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("echo", "\"openssl\""));
  const auto cells = [&](const std::string& axis) {
    const auto ended = run_program({"run", file, "--dry-run", "-P", axis}, scratch.path());
    std::string ids;
    for (std::size_t at = ended.out.find("\n  small/"); at != std::string::npos;
         at = ended.out.find("\n  small/", at + 1))
      ids += ended.out.substr(at + 9, ended.out.find('\n', at + 1) - at - 9) + " ";
    return ended.status == 0 ? ids : ended.err;
  };
  CHECK(cells("traffic.message_size=64B,1KiB") == "message_size=64B message_size=1KiB ");
  CHECK(cells("traffic.message_size=[\"64B\", 1024]") == "message_size=64B message_size=1024 ");
  CHECK(cells("traffic.message_size=[ 64B, \"1KiB\", ]") == "message_size=64B message_size=1KiB ");
  CHECK(cells("traffic.message_size=\"64B\", '1KiB'") == "message_size=64B message_size=1KiB ");
  CHECK(cells("roles.client={ backend = \"wolfssl\", transport = \"wire\" },boringssl") ==
        "client=wolfssl+wire client=boringssl ");
  CHECK(has(cells("tls.certificate={ chain = \"a,b.pem\", key = \"k,\", trust = 't' },rsa-2048"), "\"a,b.pem\""));
  CHECK(has(cells("traffic.message_size=[]"), "an empty list"));
  CHECK(has(cells("roles.client=[\"openssl\""), "is no TOML value"));
}
