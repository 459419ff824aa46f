// Where the libraries of a plugin would be found, told from files: the loader itself is the judge of every answer.
#include <doctest/doctest.h>
#include <tlsrig/host/loader_cache.hpp>
#include <tlsrig/host/needed.hpp>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "host_fixtures.hpp"

using namespace host_tests;
using tlsrig::host::ElfFile;
using tlsrig::host::LoaderCache;
using tlsrig::host::NeededLibrary;
using State = tlsrig::host::NeededLibrary::State;

namespace {

const std::string name = "libabsent.so.99";

// A copy of a fixture that looks for its library in these directories.
fs::path filled(const fs::path& to, const std::string& kind, const std::string& directories) {
  std::string file = read_file(fixture(kind + "_to_fill"));
  const std::size_t place = file.find("/" + std::string(200, 'x'));
  REQUIRE(place != std::string::npos);
  REQUIRE(directories.size() <= 200);
  file.replace(place, directories.size() + 1, directories + '\0');
  return write_file(to, file);
}

fs::path put_library(const fs::path& directory) {
  fs::create_directories(directory);
  fs::copy_file(fs::path(HOST_FIXTURES) / "absent" / name, directory / name, fs::copy_options::overwrite_existing);
  return directory / name;
}

NeededLibrary look(const fs::path& plugin) {
  const auto all = tlsrig::host::find_needed(ElfFile(plugin), plugin);
  const auto found = std::ranges::find(all, name, &NeededLibrary::name);
  REQUIRE(found != all.end());
  return *found;
}

// Whether the loader finds it, and where: in a process of its own.
std::string loaded_from(const fs::path& plugin) {
  const std::string told = output_of(std::string(HOST_LOAD) + " " + plugin.string());
  if (has(told, "refused")) return "";
  const std::size_t begin = told.find("file ") + 5;
  return told.substr(begin, told.find(' ', begin) - begin);
}

void check_found(const fs::path& plugin, const fs::path& library, std::string_view place) {
  const NeededLibrary found = look(plugin);
  INFO(plugin.string(), ": ", found.words);
  CHECK(found.state == State::found);
  CHECK(fs::canonical(found.path) == fs::canonical(library));
  CHECK(found.place == place);
  CHECK(fs::path(loaded_from(plugin)) == fs::canonical(library));
}

void check_missing(const fs::path& plugin) {
  CHECK(look(plugin).state == State::missing);
  CHECK(loaded_from(plugin) == "");
}

}  // namespace

TEST_SUITE("host.needed") {
  TEST_CASE("RUNPATH, $ORIGIN in it, and its order") {
    const TemporaryDirectory directory;
    const Variable path("LD_LIBRARY_PATH", std::nullopt);
    const fs::path one = put_library(directory / "one"), two = put_library(directory / "two");
    check_found(filled(directory / "a.so", "runpath", (directory / "one").string()), one, "RUNPATH");
    check_found(filled(directory / "b.so", "runpath", "/nowhere:$ORIGIN/two:" + (directory / "one").string()), two,
                "RUNPATH");
    check_found(filled(directory / "c.so", "runpath", "${ORIGIN}/one"), one, "RUNPATH");
    fs::create_directory(directory / "linked");
    fs::create_symlink(directory / "c.so", directory / "linked" / "c.so");
    check_found(directory / "linked" / "c.so", one, "RUNPATH");  // from where the file itself lies
    check_missing(filled(directory / "d.so", "runpath", "/nowhere"));
  }

  TEST_CASE("an empty directory of a list is the one in which the program runs") {
    const TemporaryDirectory directory;
    const fs::path library = put_library(directory / "here");
    const fs::path before = fs::current_path();
    fs::current_path(directory / "here");
    const fs::path elsewhere = filled(directory / "a.so", "runpath", "/nowhere");
    for (const char* list : {"/nowhere:", ":/nowhere", "/nowhere;;/none", "."}) {
      INFO(list);
      const Variable path("LD_LIBRARY_PATH", list);
      check_found(elsewhere, library, "LD_LIBRARY_PATH");
    }
    for (const auto& list : {std::optional<std::string>(), std::optional<std::string>("")}) {
      const Variable path("LD_LIBRARY_PATH", list);
      check_missing(elsewhere);
      check_found(filled(directory / "b.so", "runpath", "/nowhere:"), library, "RUNPATH");
      check_found(filled(directory / "c.so", "runpath", ":/nowhere"), library, "RUNPATH");
    }
    fs::current_path(before);
  }

  TEST_CASE("LD_LIBRARY_PATH goes before RUNPATH and after RPATH") {
    const TemporaryDirectory directory;
    const fs::path one = put_library(directory / "one"), two = put_library(directory / "two");
    const Variable path("LD_LIBRARY_PATH", "/nowhere;" + (directory / "two").string());
    check_found(filled(directory / "new.so", "runpath", (directory / "one").string()), two, "LD_LIBRARY_PATH");
    check_found(filled(directory / "old.so", "rpath", (directory / "one").string()), one, "RPATH");
  }

  TEST_CASE("a file for another machine is passed over, one that is no library ends the search") {
    const TemporaryDirectory directory;
    const Variable path("LD_LIBRARY_PATH", std::nullopt);
    const fs::path other = put_library(directory / "other"), good = put_library(directory / "good");
    std::string bytes = read_file(other);
    bytes.replace(offsetof(Elf64_Ehdr, e_machine), 2, std::string("\x08\x00", 2));
    write_file(other, bytes);
    check_found(filled(directory / "a.so", "runpath", "$ORIGIN/other:$ORIGIN/good"), good, "RUNPATH");
    check_missing(filled(directory / "b.so", "runpath", "$ORIGIN/other"));
    fs::create_directory(directory / "text");
    write_file(directory / "text" / name, "hello\n");
    const fs::path plugin = filled(directory / "c.so", "runpath", "$ORIGIN/text:$ORIGIN/good");
    const NeededLibrary unfit = look(plugin);
    CHECK(unfit.state == State::unfit);
    CHECK(
        has(explain(unfit, plugin), (directory / "text" / name).string() + ", which comes first in its place, is not"));
    CHECK(loaded_from(plugin) == "");
  }

  TEST_CASE("what only the loader can tell is not claimed") {
    const TemporaryDirectory directory;
    const Variable path("LD_LIBRARY_PATH", std::nullopt);
    const NeededLibrary variable = look(filled(directory / "a.so", "runpath", "/nowhere/$LIB"));
    CHECK(variable.state == State::undecided);
    CHECK(has(variable.words, "RUNPATH has /nowhere/$LIB"));
    put_library(directory / "rich" / "glibc-hwcaps" / "x86-64-v9");
    const NeededLibrary richer = look(filled(directory / "b.so", "runpath", "$ORIGIN/rich"));
    CHECK(richer.state == State::undecided);
    CHECK(has(richer.words, "glibc-hwcaps/x86-64-v9 alone"));
  }

  TEST_CASE("a missing library is explained with its places and what lies near") {
    const TemporaryDirectory directory;
    const Variable path("LD_LIBRARY_PATH", "/nowhere/at/all");
    const fs::path plugin = filled(directory / "a.so", "runpath", "/opt/none");
    CHECK(has(
        explain(look(plugin), plugin),
        "needs " + name +
            ", which was not found in LD_LIBRARY_PATH (/nowhere/at/all), RUNPATH (/opt/none), the loader's cache, the "
            "system's directories: install the package"));
    put_library(directory.path());
    CHECK(has(explain(look(plugin), plugin), "it lies beside the plugin, so link with -Wl,-rpath,'$ORIGIN'"));
    const NeededLibrary other{"libstdc++.so.99", plugin, true, State::missing, {}, {}, "x"};
    CHECK(has(explain(other, plugin), "installed is libstdc++.so.6"));
  }

  TEST_CASE("a library that a library needs, and what the program brings") {
    const Variable path("LD_LIBRARY_PATH", std::nullopt);
    const fs::path plugin = fixture("with_middle");
    const NeededLibrary absent = look(plugin);
    CHECK(absent.state == State::missing);
    CHECK_FALSE(absent.direct);
    CHECK(absent.needed_by.filename() == "libmiddle.so");
    const auto words = explain(absent, plugin);
    INFO(words);
    CHECK(has(words, (fs::path(HOST_FIXTURES) / "library/libmiddle.so").string() + " needs " + name));
    CHECK(has(refusal_of(plugin), words));
    const auto all = tlsrig::host::find_needed(ElfFile(plugin), plugin);
    CHECK(std::ranges::any_of(all, [](const NeededLibrary& library) {
      return library.name.starts_with("libc.so") && library.state == State::in_program;
    }));
  }

  TEST_CASE("the loader's cache is read as ldconfig tells it") {
    const LoaderCache cache;
    REQUIRE(cache.understood());
    std::istringstream listing(output_of("/sbin/ldconfig -p"));
    std::size_t checked = 0;
    for (std::string line; std::getline(listing, line);) {
      const std::size_t arrow = line.find(" => ");
      if (arrow == std::string::npos) continue;
      const std::string library = line.substr(1, line.find(" (") - 1), path = line.substr(arrow + 4);
      const auto files = cache.files_of(library);
      INFO(line);
      CHECK(std::ranges::find(files, fs::path(path)) != files.end());
      ++checked;
    }
    CHECK(checked > 10);
    CHECK(cache.files_of("libnone.so.1").empty());
  }

  TEST_CASE("a cache that is missing is empty, one that is damaged is not believed") {
    const TemporaryDirectory directory;
    CHECK(LoaderCache(directory / "none").understood());
    CHECK(LoaderCache(directory / "none").files_of("libc.so.6").empty());
    CHECK_FALSE(LoaderCache(write_file(directory / "other", "another form\n")).understood());
    const std::string whole = read_file("/etc/ld.so.cache");
    REQUIRE(whole.size() > 1000);
    for (const std::size_t size : {20u, 47u, 48u, 60u, 500u}) {
      INFO(size);
      CHECK_FALSE(LoaderCache(write_file(directory / "cut", whole.substr(0, size))).understood());
    }
    std::string old = "ld.so-1.7.0" + std::string(5, '\0') + whole;  // behind a list in the form before
    CHECK(LoaderCache(write_file(directory / "old", old)).files_of("libc.so.6") == LoaderCache().files_of("libc.so.6"));
    std::string wild = whole;
    for (std::size_t i = 48; i < 1000; ++i) wild[i] = static_cast<char>(i * 37);
    CHECK(LoaderCache(write_file(directory / "wild", wild)).files_of("libnone.so.1").empty());
  }
}
