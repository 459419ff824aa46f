// Where plugins are looked for: order, duplicates, and what is passed over without being loaded.
#include <doctest/doctest.h>
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
  }

  TEST_CASE("a place of the environment that is not there is noted, not an error") {
    const TemporaryDirectory directory;
    const Variable path("TLSRIG_BACKEND_PATH", (directory / "none").string());
    const PluginSearch search = search_plugins({});
    CHECK(has(why(search, directory / "none"), "No such file or directory"));
  }
}
