// Where plugins are looked for: order, duplicates, and what is passed over without being loaded.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <tlsrig/host/search.hpp>

#include "host_fixtures.hpp"

using namespace host_tests;
using tlsrig::host::PluginOrigin;
using tlsrig::host::PluginSearch;
using tlsrig::host::Refusal;
using tlsrig::host::search_plugins;

namespace {

fs::path put(const fs::path& directory, const std::string& name, const std::string& source = "good") {
  fs::create_directories(directory);
  fs::copy_file(fixture(source), directory / name);
  return directory / name;
}

std::string why(const PluginSearch& search, const fs::path& path) {
  for (const auto& passed : search.passed_over)
    if (passed.path == path) return passed.why;
  return {};
}

std::string refusal_of_search(const std::vector<fs::path>& arguments) {
  try {
    search_plugins(arguments);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("host.search") {
  TEST_CASE("arguments come before the environment, the first of a name is taken") {
    const TemporaryDirectory directory;
    const fs::path mine = put(directory / "mine", "one.so");
    const fs::path second = put(directory / "a", "one.so");
    const fs::path two = put(directory / "a", "two.so");
    const fs::path third = put(directory / "b", "two.so");
    const Variable path("TLSRIG_BACKEND_PATH", (directory / "a").string() + "::" + (directory / "b").string());
    const PluginSearch search = search_plugins({mine});
    REQUIRE(search.find("one"));
    CHECK(search.find("one")->path == mine);
    CHECK(search.find("one")->origin == PluginOrigin::argument);
    REQUIRE(search.find("two"));
    CHECK(search.find("two")->path == two);
    CHECK(search.find("two")->origin == PluginOrigin::environment);
    CHECK(search.find("three") == nullptr);
    CHECK(has(why(search, second), mine.string() + " comes first"));
    CHECK(has(why(search, third), two.string() + " comes first"));
    REQUIRE(search.looked_in.size() == 4);
    CHECK(search.looked_in[0] == mine);
    CHECK(search.looked_in[1] == directory / "a");
    CHECK(search.looked_in[2] == directory / "b");
    const fs::path program = fs::read_symlink("/proc/self/exe");
    CHECK(search.looked_in[3] == program.parent_path().parent_path() / "lib" / "tlsrig");
    CHECK(places_looked_in(search).starts_with(mine.string() + ", " + (directory / "a").string() + ", "));
  }

  TEST_CASE("the directory beside the program is looked in") {
    // A copy of host_search's own program is not needed: the build tree has the shape of an installation.
    const PluginSearch search = search_plugins({});
    const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "tlsrig";
    for (const auto& candidate : search.candidates) {
      CHECK(candidate.path.parent_path() == beside);
      CHECK(candidate.origin == PluginOrigin::beside);
    }
    CHECK(search.looked_in.back() == beside);
  }

  TEST_CASE("what is no plugin is passed over with a reason, and nothing is loaded") {
    const TemporaryDirectory directory;
    put(directory.path(), "good.so");
    put(directory.path(), "abi2.so", "abi2");
    put(directory.path(), "unnamed.so", "entry_v2");
    write_file(directory / "text.so", "hello\n");
    write_file(directory / "README.md", "# plugins\n");
    forget_traces();
    const PluginSearch search = search_plugins({directory.path()});
    CHECK(search.find("good"));
    CHECK_FALSE(search.find("abi2"));
    CHECK_FALSE(search.find("text"));
    CHECK(has(why(search, directory / "abi2.so"), "built for plugin ABI 2"));
    CHECK(has(why(search, directory / "unnamed.so"), "tlsrig_backend_v2"));
    CHECK(has(why(search, directory / "text.so"), "begins with \"hello\""));
    CHECK(has(why(search, directory / "README.md"), "does not end in .so"));
    CHECK_FALSE(has_trace("CONSTRUCTED"));
    CHECK_FALSE(has(read_file("/proc/self/maps"), directory.path().string()));
  }

  TEST_CASE("whatever else lies in a directory is passed over, and nothing is waited for") {
    const TemporaryDirectory directory;
    put(directory.path(), "good.so");
    fs::create_directory(directory / "below");
    fs::create_directory(directory / "below.so");
    put(directory / "below", "inner.so");
    fs::create_symlink("/nowhere/at/all.so", directory / "dangling.so");
    fs::create_symlink("/dev/zero", directory / "device.so");
    REQUIRE(::mkfifo((directory / "queue.so").c_str(), 0600) == 0);
    const PluginSearch search = search_plugins({directory.path()});
    CHECK(search.find("good"));
    CHECK_FALSE(search.find("inner"));
    CHECK(has(why(search, directory / "below"), "is a directory, which is not looked into"));
    CHECK(has(why(search, directory / "below.so"), "is a directory"));
    CHECK(has(why(search, directory / "dangling.so"), "is a link to /nowhere/at/all.so, and there is no such file"));
    CHECK(has(why(search, directory / "device.so"), "is a device"));
    CHECK(has(why(search, directory / "queue.so"), "is a named pipe"));
    CHECK(search.passed_over.size() >= 5);
  }

  TEST_CASE("a plugin that cannot be taken is told from a file that never was one") {
    const TemporaryDirectory directory;
    using Kind = tlsrig::host::PassedOver::Kind;
    const auto of = [&](const std::string& name) {
      for (const auto& passed : search_plugins({directory.path()}).passed_over)
        if (passed.path.filename() == name) return passed;
      return tlsrig::host::PassedOver{};
    };
    put(directory.path(), "good.so");
    put(directory.path(), "abi2.so", "abi2");
    put(directory.path(), "hidden.so", "hidden");
    put(directory.path(), "mangled.so", "no_linkage");
    fs::copy_file(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so", directory / "library.so");
    write_file(directory / "text.so", "hello\n");
    for (const char* plugin : {"abi2", "hidden", "mangled"}) {
      INFO(plugin);
      CHECK(of(plugin + std::string(".so")).kind == Kind::unusable);
      CHECK(of(plugin + std::string(".so")).is_plugin);
      CHECK(of(plugin + std::string(".so")).name() == plugin);
    }
    for (const char* other : {"library.so", "text.so"}) {
      INFO(other);
      CHECK(of(other).kind == Kind::unusable);
      CHECK_FALSE(of(other).is_plugin);
    }
  }

  TEST_CASE("a directory without a plugin is refused with what it has") {
    const TemporaryDirectory directory;
    fs::create_directory(directory / "empty");
    CHECK(refusal_of_search({directory / "empty"}).ends_with("needed are files NAME.so that export tlsrig_backend_v1"));
    fs::create_directory(directory / "texts");
    write_file(directory / "texts" / "README.md", "# plugins\n");
    CHECK(has(refusal_of_search({directory / "texts"}), "tlsrig_backend_v1; it has 1 of other names"));
    for (int i = 0; i < 10; ++i) write_file(directory / "texts" / fmt::format("{}.so", i), "hello\n");
    const std::string words = refusal_of_search({directory / "texts"});
    CHECK(has(words, "texts/7.so: is not a library"));
    CHECK_FALSE(has(words, "texts/8.so"));
    CHECK(has(words, "\n  and 2 more"));
  }

  TEST_CASE("files and directories that their reader may not read") {
    const TemporaryDirectory directory;
    const fs::path closed = put(directory / "some", "closed.so");
    put(directory / "some", "good.so");
    fs::permissions(closed, fs::perms::none);
    put(directory / "none", "one.so");
    fs::permissions(directory.path(), fs::perms::all);
    fs::permissions(directory / "none", fs::perms::none);
    const pid_t child = ::fork();
    if (child == 0) {  // as a user who is not root, whom nothing is refused
      if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
      const PluginSearch some = search_plugins({directory / "some"});
      const bool right = some.find("good") && !some.find("closed") &&
                         has(why(some, closed), "cannot be read: Permission denied") &&
                         has(refusal_of_search({closed}), "cannot be read: Permission denied") &&
                         has(refusal_of_search({directory / "none"}), "it cannot be looked into: Permission denied");
      ::_exit(right ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    fs::permissions(directory / "none", fs::perms::all);
    CHECK(status == 0);
  }

  TEST_CASE("a named file that is no plugin, and an argument that is not there, are refused") {
    const TemporaryDirectory directory;
    CHECK(has(refusal_of_search({directory / "none"}), (directory / "none").string() + ": there is no such file"));
    CHECK(has(refusal_of_search({write_file(directory / "text.so", "hello\n")}), "is not a library"));
    CHECK(has(refusal_of_search({fixture("abi2")}), "built for plugin ABI 2"));
  }

  TEST_CASE("two arguments with one name are refused with both paths, the same file twice is not") {
    const TemporaryDirectory directory;
    const fs::path first = put(directory / "a", "one.so");
    const fs::path second = put(directory / "b", "one.so");
    const std::string words = refusal_of_search({first, directory / "b"});
    CHECK(has(words, "two plugins of the name one"));
    CHECK(has(words, first.string()));
    CHECK(has(words, second.string()));
    CHECK(refusal_of_search({first, directory / "a"}) == "");
    const std::string of_directories = refusal_of_search({directory / "a", directory / "b"});
    CHECK(has(of_directories, first.string()));
    CHECK(has(of_directories, second.string()));
    fs::create_directory(directory / "c");
    fs::create_symlink(first, directory / "c" / "one.so");
    CHECK(refusal_of_search({directory / "a", directory / "c"}) == "");
  }

  TEST_CASE("a place of the environment that is not there is noted, not an error") {
    const TemporaryDirectory directory;
    const Variable path("TLSRIG_BACKEND_PATH", (directory / "none").string());
    const PluginSearch search = search_plugins({});
    CHECK(has(why(search, directory / "none"), "No such file or directory"));
  }
}
