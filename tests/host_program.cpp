// Whose code runs under a backend's name, in the real program: with other libraries preloaded or first in the loader's
// path each backend gives the right result or a refusal with the files' names. And what `list backends` tells.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <sys/stat.h>
#include <sys/wait.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "support/program.hpp"

using namespace tlsrig::tests;
namespace fs = std::filesystem;

namespace {

const std::string scenario =
    "schema = 1\nname = \"tiny\"\nworkload = \"engine\"\n"
    "backends = [\"openssl\", \"boringssl\", \"wolfssl\", \"plaintcp\"]\n"
    "[measure]\nwarmup = \"10ms\"\nblock = \"20ms\"\nself_check = false\nblocks = { min = 2, max = 2 }\n";

const std::string android = HOST_ANDROID;

// A part of the path of every library file of a backend, and one that none of them has.
struct Files {
  const char* each;
  const char* none;
};
const std::map<std::string, Files> right_files{{"openssl", {".so.3", "/android/"}},
                                               {"boringssl", {"/android/", ".so.3"}},
                                               {"wolfssl", {"libwolfssl", "libssl"}},
                                               {"plaintcp", {"plaintcp.so", "libssl"}}};

// Suites that Debian's builds have beside those that every backend has; without this, the steps that use them would be
// skipped in peace if a backend lost them.
const std::map<std::string, std::vector<std::string>> more_suites{
    {"openssl",
     {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
      "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256",
      "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA256"}},
    {"boringssl",
     {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_128_GCM_SHA256",
      "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_CBC_SHA"}},
    {"wolfssl",
     {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
      "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"}}};

const std::map<std::string, std::vector<std::string>> extensions{{"openssl", {"resumption", "keylog", "pending"}},
                                                                 {"boringssl", {"resumption", "keylog", "pending"}},
                                                                 {"wolfssl", {"resumption", "pending"}},
                                                                 {"plaintcp", {}}};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

nlohmann::json named(const nlohmann::json& list, const std::string& key, const std::string& name) {
  for (const auto& one : list)
    if (one.at(key) == name) return one;
  return nullptr;
}

void check_files(const std::string& backend, const nlohmann::json& files) {
  const Files& right = right_files.at(backend);
  CHECK_FALSE(files.empty());
  for (const auto& file : files) {
    CHECK(has(file.at("path"), right.each));
    CHECK_FALSE(has(file.at("path"), right.none));
  }
}

std::vector<std::string> environment_for(const std::string& preload) {
  return {"LD_PRELOAD=" + preload, "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
}

// The one that is refused, and the files that its refusal names.
struct Stranger {
  std::string preload, refused;
  std::vector<std::string> names;
};

}  // namespace

TEST_SUITE("host.program.preload") {
  TEST_CASE("another TLS library preloaded: the right result or a refusal that names both files") {
    const std::vector<Stranger> strangers{
        {"libssl.so.3:libcrypto.so.3", "boringssl", {".so.3", "/android/lib"}},
        {"libcrypto.so.3", "boringssl", {"libcrypto.so.3", "/android/libcrypto.so.0"}},
        {android + "/libssl.so.0:" + android + "/libcrypto.so.0", "openssl", {"/android/lib", ".so.3"}},
    };
    const Scratch scratch;
    const auto file = scratch.file("s.toml", scenario);
    for (const Stranger& stranger : strangers) {
      const auto environment = environment_for(stranger.preload);
      const Ended listed = run_program({"list", "backends", "--json"}, scratch.path(), environment);
      const Ended ended = run_program({"run", file, "-o", "out"}, scratch.path(), environment);
      INFO(stranger.preload, "\n", listed.out, ended.err, ended.out);
      REQUIRE(listed.status == 0);
      CHECK(ended.status == 3);
      const auto list = nlohmann::json::parse(listed.out);
      const auto result = read_json(scratch / "out" / "result.json");
      for (const auto& [backend, right] : right_files) {
        INFO(backend);
        const auto told = named(list, "name", backend);
        const auto arm = named(result.at("cells").at(0).at("arms"), "id", backend);
        REQUIRE_FALSE(told.is_null());
        REQUIRE_FALSE(arm.is_null());
        if (backend == stranger.refused) {
          CHECK(told.at("state") == "refused");
          CHECK(arm.at("status") == "failed");
          CHECK(named(result.at("backends"), "name", backend).is_null());
          for (const std::string& name : stranger.names) {
            CHECK(has(told.at("reason"), name));
            CHECK(has(arm.at("reason"), name));
          }
          CHECK(has(arm.at("reason"), "unset LD_PRELOAD"));
          continue;
        }
        CHECK(told.at("state") == "ready");
        check_files(backend, told.at("files"));
        check_files(backend, named(result.at("backends"), "name", backend).at("files"));
        CHECK(arm.at("status") == "ok");
        CHECK(arm.at("proof").at("version") == (backend == "plaintcp" ? "none" : "1.3"));
        if (backend != "plaintcp") CHECK(arm.at("proof").at("cipher") == "TLS_AES_128_GCM_SHA256");
        CHECK(has(told.at("warnings").dump(), "LD_PRELOAD is set"));
      }
    }
  }

  TEST_CASE("another allocator preloaded harms nobody") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: a sanitizer's own allocator must come first");
    return;
#endif
    const Scratch scratch;
    const auto file = scratch.file("s.toml", scenario);
    const Ended ended = run_program({"run", file, "-o", "out"}, scratch.path(), environment_for(HOST_ALLOCATOR));
    INFO(ended.err, ended.out);
    CHECK(ended.status == 0);
    const auto result = read_json(scratch / "out" / "result.json");
    for (const auto& arm : result.at("cells").at(0).at("arms")) CHECK(arm.at("status") == "ok");
  }
}

TEST_SUITE("host.program.library-path") {
  TEST_CASE("the file that LD_LIBRARY_PATH brings is the one that the report names") {
    const Scratch scratch;
    fs::copy_file(fs::canonical(HOST_LIBSSL), scratch / "libssl.so.3");
    const Ended ended =
        run_program({"list", "backends", "--json"}, scratch.path(), {"LD_LIBRARY_PATH=" + scratch.path().string()});
    const auto told = named(nlohmann::json::parse(ended.out), "name", "openssl");
    INFO(told.dump(2));
    REQUIRE(told.at("state") == "ready");
    CHECK(told.at("files").at(0).at("path") == (scratch / "libssl.so.3").string());
    CHECK(has(told.at("library"), "OpenSSL 3."));
  }

  TEST_CASE("a file of that name that is another library or none is refused by its path, and the others run") {
    const Scratch scratch;
    const auto file = scratch.file("s.toml", scenario);
    const auto refusal = [&](const fs::path& directory) {
      const Ended ended =
          run_program({"run", file, "-o", "out"}, scratch.path(), {"LD_LIBRARY_PATH=" + directory.string()});
      INFO(ended.err, ended.out);
      CHECK(ended.status == 3);
      const auto arms = read_json(scratch / "out" / "result.json").at("cells").at(0).at("arms");
      for (const char* other : {"boringssl", "wolfssl", "plaintcp"})
        CHECK(named(arms, "id", other).at("status") == "ok");
      CHECK(named(arms, "id", "openssl").at("status") == "failed");
      return named(arms, "id", "openssl").at("reason").get<std::string>();
    };
    const fs::path other = scratch / "other", text = scratch / "text";
    fs::create_directory(other);
    fs::create_directory(text);
    fs::copy_file(fs::canonical(android + "/libssl.so.0"), other / "libssl.so.3");
    std::ofstream(text / "libssl.so.3") << "no library";
    const std::string of_other = refusal(other);
    INFO(of_other);
    CHECK(has(of_other, "undefined symbol"));
    CHECK(has(of_other, "LD_LIBRARY_PATH puts " + (other / "libssl.so.3").string()));
    CHECK(has(refusal(text), (text / "libssl.so.3").string()));
  }
}

TEST_SUITE("host.program.list") {
  TEST_CASE("what each backend is, for programs") {
    const Scratch scratch;
    const Ended ended = run_program({"list", "backends", "--json"}, scratch.path());
    REQUIRE(ended.status == 0);
    const auto list = nlohmann::json::parse(ended.out);
    for (const auto& [backend, right] : right_files) {
      const auto told = named(list, "name", backend);
      INFO(told.dump(2));
      CHECK(told.at("state") == "ready");
      CHECK_FALSE(told.at("build").get<std::string>().empty());
      CHECK(told.at("transports").size() == 2);
      CHECK(told.at("versions").size() == (backend == "plaintcp" ? 0 : 2));
      for (const auto& file : told.at("files")) CHECK(file.at("build_id").get<std::string>().size() >= 16);
      CHECK(told.at("extensions") == nlohmann::json(extensions.at(backend)));
      if (backend == "plaintcp") continue;
      for (const std::string& suite : more_suites.at(backend)) {
        INFO(suite);
        CHECK(std::ranges::count(told.at("ciphers"), nlohmann::json(suite)) == 1);
      }
      CHECK(told.at("groups").size() >= 3);
      CHECK(told.at("chooses_tls13_ciphers") == (backend != "boringssl"));
    }
  }

  TEST_CASE("what a result says of a backend is what the list says") {
    const Scratch scratch;
    const auto file = scratch.file("s.toml", scenario);
    CHECK(run_program({"run", file, "-o", "out"}, scratch.path()).status == 0);
    const auto list = nlohmann::json::parse(run_program({"list", "backends", "--json"}, scratch.path()).out);
    const auto result = read_json(scratch / "out" / "result.json");
    for (const auto& backend : result.at("backends")) {
      const auto told = named(list, "name", backend.at("name"));
      for (const char* key : {"versions", "transports", "ciphers", "groups", "extensions"})
        CHECK(backend.at("features").at(key) == told.at(key));
      CHECK(backend.at("files") == told.at("files"));
      CHECK(backend.at("warnings") == told.at("warnings"));
    }
  }

  TEST_CASE(
      "for people: numbers of suites, names on demand, hardware AES or a warning, refusals, what was passed over") {
    const Scratch scratch;
    fs::create_directory(scratch / "mine");
    scratch.file("mine/notes.txt", "not a plugin");
    scratch.file("mine/broken.so", "not a library");
    fs::copy_file(HOST_ABI2, scratch / "mine" / "abi2.so");
    const std::vector<std::string> place{"TLSRIG_BACKEND_PATH=" + (scratch / "mine").string()};
    const Ended brief = run_program({"list", "backends"}, scratch.path(), place);
    INFO(brief.out, brief.err);
    CHECK(brief.status == 0);
    CHECK(has(brief.out, "build-id "));
    CHECK(has(brief.out, " suites (-v names them)"));
    CHECK_FALSE(has(brief.out, "TLS_AES_128_GCM_SHA256"));
    CHECK(has(brief.out, "hardware AES: "));
    CHECK(has(brief.out, "abi2.so: built for plugin ABI 2, this tlsrig speaks 1"));
    CHECK_FALSE(has(brief.out, "broken.so"));
    const Ended whole = run_program({"list", "backends", "-v"}, scratch.path(), place);
    CHECK(has(whole.out, "passed over: " + (scratch / "mine/broken.so").string() + ": is not a library"));
    CHECK(has(whole.out, "passed over: " + (scratch / "mine/notes.txt").string() + ": its name does not end in .so"));
    CHECK(has(run_program({"list", "backends", "-v"}, scratch.path()).out, "TLS_AES_128_GCM_SHA256"));
    const Ended bad = run_program({"list", "backends", "-B", "mine/broken.so"}, scratch.path());
    CHECK(bad.status == 2);
    CHECK(has(bad.err, "is not a library"));
  }
}

namespace {

const fs::path plugins = fs::path(TLSRIG_PROGRAM).parent_path().parent_path() / "lib" / "tlsrig";

// What people have in a directory of plugins beside plugins: text, other libraries, leftovers, things that are no
// files.
void litter(const fs::path& directory) {
  fs::create_directories(directory / "old");
  fs::create_directory(directory / "directory.so");
  std::ofstream(directory / "notes.txt") << "hello\n";
  std::ofstream(directory / "text.so") << "hello\n";
  std::ofstream(directory / "empty.so");
  fs::copy_file(HOST_ALLOCATOR, directory / "allocator.so");
  fs::create_symlink("/nowhere/at/all.so", directory / "dangling.so");
  fs::create_symlink("/dev/null", directory / "device.so");
  REQUIRE(::mkfifo((directory / "queue.so").c_str(), 0600) == 0);
}

const char* const litter_names[] = {"old",          "directory.so", "notes.txt", "text.so", "empty.so",
                                    "allocator.so", "dangling.so",  "device.so", "queue.so"};

Ended dry_run(const Scratch& scratch, std::vector<std::string> more, const std::vector<std::string>& environment = {}) {
  std::vector<std::string> arguments{"run", scratch.file("s.toml", scenario), "--dry-run"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments, scratch.path(), environment, 30);
}

}  // namespace

TEST_SUITE("host.program.search") {
  TEST_CASE("what is no plugin is ignored, and -v says which and why") {
    const Scratch scratch;
    litter(scratch / "mine");
    const std::vector<std::string> place{"TLSRIG_BACKEND_PATH=" + (scratch / "mine").string()};
    const Ended brief = dry_run(scratch, {}, place), whole = dry_run(scratch, {"-v"}, place);
    const Ended listed = run_program({"list", "backends", "-v"}, scratch.path(), place, 30);
    INFO(brief.err, whole.err, listed.out);
    CHECK(brief.status == 0);
    CHECK_FALSE(has(brief.err, "passed over"));
    CHECK_FALSE(has(run_program({"list", "backends"}, scratch.path(), place, 30).out, "passed over"));
    for (const char* name : litter_names) {
      const std::string note = "passed over: " + (scratch / "mine" / name).string() + ": ";
      CHECK(has(whole.err, note));
      CHECK(has(listed.out, note));
    }
    fs::copy_file(plugins / "plaintcp.so", scratch / "mine/plaintcp.so");
    const Ended of_name = dry_run(scratch, {"-B", "mine"});
    CHECK(of_name.status == 0);
    CHECK_FALSE(has(of_name.err, "queue.so"));
    CHECK(has(dry_run(scratch, {"-B", "mine", "-v"}).err, "passed over: mine/queue.so: is a named pipe"));
  }

  TEST_CASE("named alone, each of them ends the program with its reason") {
    const Scratch scratch;
    litter(scratch / "mine");
    for (const std::string name : litter_names) {
      const Ended ended = dry_run(scratch, {"-B", "mine/" + name});
      INFO(name, ": ", ended.err);
      CHECK(ended.status == 2);
      CHECK(has(ended.err, "mine/" + name + ": "));
    }
  }

  TEST_CASE("a name that somebody asks for is explained when its file is no plugin") {
    const Scratch scratch;
    litter(scratch / "mine");
    fs::copy_file(HOST_ABI2, scratch / "mine/abi2.so");
    const std::vector<std::string> place{"TLSRIG_BACKEND_PATH=" + (scratch / "mine").string()};
    const Ended text = dry_run(scratch, {"-b", "text,plaintcp"}, place);
    INFO(text.err);
    CHECK(text.status == 2);
    CHECK(has(text.err, "mine/text.so: is not a library"));
    CHECK_FALSE(has(text.err, "empty.so"));
    const Ended plugin = dry_run(scratch, {}, place);  // it was meant as a backend: told of in any case
    CHECK(plugin.status == 0);
    CHECK(has(plugin.err, "abi2.so: built for plugin ABI 2, this tlsrig speaks 1"));
  }

  TEST_CASE("two plugins of one file name: an error with both paths, or the first place of the search") {
    const Scratch scratch;
    for (const char* directory : {"a", "b"}) {
      fs::create_directory(scratch / directory);
      fs::copy_file(plugins / "plaintcp.so", scratch / directory / "plaintcp.so");
    }
    for (const auto& [one, other] :
         {std::pair("a", "b"), std::pair("a/plaintcp.so", "b"), std::pair("a/plaintcp.so", "b/plaintcp.so")}) {
      const Ended both = dry_run(scratch, {"-B", one, "-B", other});
      INFO(both.err);
      CHECK(both.status == 2);
      CHECK(has(both.err, "two plugins of the name plaintcp: a/plaintcp.so and b/plaintcp.so"));
    }
    const std::string a = (scratch / "a").string(), b = (scratch / "b").string();
    const Ended first = dry_run(scratch, {}, {"TLSRIG_BACKEND_PATH=" + a + ":" + b});
    CHECK(first.status == 0);
    CHECK(has(first.err, "passed over: " + b + "/plaintcp.so: " + a + "/plaintcp.so comes first"));
  }

  TEST_CASE("two plugins that call themselves alike: an error with both paths when named, refused when found") {
    const Scratch scratch;
    fs::create_directory(scratch / "mine");
    fs::copy_file(plugins / "plaintcp.so", scratch / "mine/plaintcp.so");
    fs::copy_file(plugins / "plaintcp.so", scratch / "mine/spare.so");
    const std::string file = scratch.file("s.toml", scenario);
    const Ended both = run_program({"run", file, "-b", "plaintcp", "-B", "mine", "-o", "out"}, scratch.path());
    INFO(both.err);
    CHECK(both.status == 2);
    CHECK(has(both.err,
              "mine/spare.so calls itself \"plaintcp\", and so does mine/plaintcp.so: two plugins have one name"));
    CHECK_FALSE(fs::exists(scratch / "out"));
    const std::vector<std::string> place{"TLSRIG_BACKEND_PATH=" + (scratch / "mine").string()};
    const Ended listed = run_program({"list", "backends", "--json"}, scratch.path(), place);
    const auto list = nlohmann::json::parse(listed.out);
    CHECK(named(list, "name", "plaintcp").at("state") == "ready");
    CHECK(named(list, "name", "spare").at("state") == "refused");
    CHECK(has(named(list, "name", "spare").at("reason"), "two plugins have one name"));
  }

  TEST_CASE("a shipped backend's file that is no plugin fails its arms, and is not called missing") {
    const Scratch scratch;
    fs::create_directories(scratch / "bin");
    fs::create_directories(scratch / "lib/tlsrig");
    fs::copy_file(TLSRIG_PROGRAM, scratch / "bin/tlsrig");
    fs::copy_file(plugins / "plaintcp.so", scratch / "lib/tlsrig/plaintcp.so");
    scratch.file("lib/tlsrig/wolfssl.so", "hello\n");
    scratch.file("s.toml", scenario);
    const std::string in = "cd " + scratch.path().string() + " && bin/tlsrig ";
    CHECK(WEXITSTATUS(std::system((in + "run s.toml -b plaintcp -o one > out.txt 2> err.txt").c_str())) == 0);
    CHECK(WEXITSTATUS(std::system((in + "run s.toml -o out > out.txt 2> err.txt").c_str())) == 3);
    const auto arms = read_json(scratch / "out/result.json").at("cells").at(0).at("arms");
    CHECK(named(arms, "id", "plaintcp").at("status") == "ok");
    CHECK(named(arms, "id", "openssl").at("status") == "unsupported");
    CHECK(named(arms, "id", "wolfssl").at("status") == "failed");
    CHECK(has(named(arms, "id", "wolfssl").at("reason"), "lib/tlsrig/wolfssl.so: is not a library"));
    CHECK(WEXITSTATUS(std::system((in + "list backends > list.txt").c_str())) == 0);
    const std::string list = read_file(scratch / "list.txt");
    INFO(list);
    CHECK(has(list, "wolfssl: refused\n"));
    CHECK(has(list, "openssl: missing\n"));
    CHECK_FALSE(has(list, "passed over"));
  }
}
