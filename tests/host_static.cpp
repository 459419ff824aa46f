// What `tlsrig check` says of a plugin from its files alone: every verdict, in its words, and nothing is loaded.
#include <sys/stat.h>

#include <doctest/doctest.h>
#include <tlsrig/check/steps/static_steps.hpp>

#include <algorithm>
#include <set>

#include "host_fixtures.hpp"

using namespace host_tests;
using tlsrig::check::file_steps;
using tlsrig::check::FileStep;
using tlsrig::check::Outcome;
using tlsrig::check::Verdict;

namespace {

Outcome run(const std::string& step, const fs::path& plugin) {
  forget_traces();
  const auto found = std::ranges::find(file_steps(), step, &FileStep::name);
  REQUIRE(found != file_steps().end());
  const Outcome outcome = found->run(plugin);
  CHECK_FALSE(has_trace("CONSTRUCTED"));
  return outcome;
}

void check_step(const std::string& step, const fs::path& plugin, Verdict verdict,
                std::initializer_list<std::string_view> parts) {
  const Outcome outcome = run(step, plugin);
  INFO(step, " of ", plugin.string(), ": ", name_of(outcome.verdict), " ", outcome.words);
  CHECK(outcome.verdict == verdict);
  for (const std::string_view part : parts) {
    INFO("part: ", part);
    CHECK(has(outcome.words, part));
  }
}

// Those steps that answer otherwise than PASS, "NAME VERDICT".
std::set<std::string> complaints(const fs::path& plugin) {
  std::set<std::string> all;
  for (const FileStep& step : file_steps()) {
    const Outcome outcome = step.run(plugin);
    INFO(step.name, ": ", outcome.words);
    CHECK(outcome.words != "");
    if (outcome.verdict != Verdict::pass) all.insert(step.name + " " + std::string(name_of(outcome.verdict)));
  }
  return all;
}

}  // namespace

TEST_SUITE("host.static") {
  TEST_CASE("the steps are told apart, and each says what is due and what to do") {
    std::set<std::string> names;
    for (const FileStep& step : file_steps()) {
      names.insert(step.name);
      CHECK(step.law != "");
      CHECK(step.cure != "");
    }
    CHECK(names == std::set<std::string>{"entry", "exports", "file", "linking", "needs", "undefined-symbols"});
  }

  TEST_CASE("a good plugin passes them all, and is not loaded") {
    forget_traces();
    const TemporaryDirectory directory;
    fs::copy_file(fixture("good"), directory / "mine.so");
    CHECK(complaints(directory / "mine.so").empty());
    CHECK_FALSE(has_trace("CONSTRUCTED"));
    CHECK_FALSE(has(read_file("/proc/self/maps"), directory.path().string()));
    check_step("file", fixture("good"), Verdict::pass, {"ELF 64-bit ", " shared object, ", " KiB, build-id "});
    check_step("entry", fixture("good"), Verdict::pass, {"tlsrig_backend_v1, an object of 96 bytes, plugin ABI 1"});
    check_step("entry", fixture("late"), Verdict::pass, {"filled when it is loaded"});
    check_step("needs", fixture("good"), Verdict::pass, {"libc.so.6 (the program's own)"});
    check_step("exports", fixture("good"), Verdict::pass, {"tlsrig_backend_v1 alone"});
    check_step("needs", fixture("with_library"), Verdict::pass,
               {"libfixture_library.so.1 (", "/library/libfixture_library.so.1, by RUNPATH)"});
    CHECK(complaints(fixture("with_library")).empty());
  }

  TEST_CASE("no library: the file fails, and what needs it is skipped") {
    const TemporaryDirectory directory;
    const std::set<std::string> expected{"entry SKIP",   "exports SKIP", "file FAIL",
                                         "linking SKIP", "needs SKIP",   "undefined-symbols SKIP"};
    CHECK(complaints(write_file(directory / "text.so", "hello\n")) == expected);
    CHECK(complaints(directory / "none.so") == expected);
    CHECK(complaints(directory.path()) == expected);
    REQUIRE(::mkfifo((directory / "queue.so").c_str(), 0600) == 0);
    CHECK(complaints(directory / "queue.so") == expected);
    CHECK(complaints("/proc/self/exe") == expected);
    check_step("file", directory / "text.so", Verdict::fail, {"is not a library: it begins with \"hello\""});
    check_step("file", "/proc/self/exe", Verdict::fail, {"is a program"});
    check_step("exports", directory / "text.so", Verdict::skip, {"the file is no library that can be read"});
  }

  TEST_CASE("the entry: missing, of another kind, of another contract") {
    const fs::path library = fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so";
    check_step("entry", library, Verdict::fail,
               {"exports no entry tlsrig_backend_v1; exported instead: fixture_library_"});
    check_step("entry", fixture("no_linkage"), Verdict::fail, {"without C linkage (found _ZN"});
    check_step("entry", fixture("hidden"), Verdict::fail, {"does not export it"});
    check_step("entry", fixture("entry_function"), Verdict::fail, {"is not an object"});
    check_step("entry", fixture("abi2"), Verdict::fail, {"built for plugin ABI 2, this tlsrig speaks 1"});
    CHECK(complaints(fixture("abi2")) == std::set<std::string>{"entry FAIL"});
  }

  TEST_CASE("exports besides the entry are a warning with their number and names") {
    check_step(
        "exports", fixture("library_inside"), Verdict::warn,
        {"exports 2 symbols besides tlsrig_backend_v1 (fixture_library_", "version script", "--exclude-libs,ALL"});
    CHECK(complaints(fixture("library_inside")) == std::set<std::string>{"exports WARN"});
  }

  TEST_CASE("a library that is not found, and what then cannot be judged") {
    const Variable path("LD_LIBRARY_PATH", std::nullopt);
    check_step("needs", fixture("missing_library"), Verdict::fail, {"needs libabsent.so.99, which was not found in"});
    check_step("undefined-symbols", fixture("missing_library"), Verdict::skip, {"libabsent.so.99 may define"});
    check_step("needs", fixture("with_middle"), Verdict::fail, {"libmiddle.so needs libabsent.so.99"});
    const Variable found("LD_LIBRARY_PATH", std::string(HOST_FIXTURES) + "/absent");
    check_step("needs", fixture("missing_library"), Verdict::pass, {"/absent/libabsent.so.99, by LD_LIBRARY_PATH)"});
    check_step("undefined-symbols", fixture("missing_library"), Verdict::pass, {"none"});
    CHECK(complaints(fixture("with_middle")).empty());
  }

  TEST_CASE("undefined symbols, the plugin's own and those of its library") {
    check_step("undefined-symbols", fixture("unresolved"), Verdict::fail,
               {"undefined symbol not_there (needed by ", "unresolved.so)", "ldd -r"});
    CHECK(complaints(fixture("unresolved")) == std::set<std::string>{"undefined-symbols FAIL"});
    const Outcome half = run("undefined-symbols", fixture("with_half"));
    INFO(half.words);
    CHECK(half.verdict == Verdict::fail);
    CHECK(has(half.words, "undefined symbols fixture_"));
    CHECK(has(half.words, "fixture_half_missing"));
    CHECK(has(half.words, "fixture_quarter_missing"));
    CHECK_FALSE(has(half.words, "fixture_optional"));  // weak
    CHECK(has(half.words, "library/libhalf.so)"));
  }

  TEST_CASE("how it is linked") {
    check_step("linking", fixture("good"), Verdict::pass, {"no RUNPATH"});
    check_step("linking", fixture("with_library"), Verdict::pass, {"RUNPATH ", "/library"});
    check_step("linking", fixture("old_rpath"), Verdict::warn, {"DT_RPATH (", "--enable-new-dtags"});
    check_step("linking", fixture("executable_stack"), Verdict::warn, {"executable stack", "noexecstack"});
#if defined(__x86_64__)
    check_step("linking", fixture("text_relocations"), Verdict::warn, {"DT_TEXTREL", "-fPIC"});
#endif
    const TemporaryDirectory directory;
    std::string relative = read_file(fixture("runpath_to_fill"));
    relative.replace(relative.find("/xxxx"), 12, "$ORIGIN:lib\0", 12);
    check_step("linking", write_file(directory / "relative.so", relative), Verdict::warn, {"RUNPATH has \"lib\""});
    CHECK(complaints(fixture("executable_stack")) == std::set<std::string>{"linking WARN"});
  }
}
