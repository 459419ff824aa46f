// Results on their way out of the program and back into it: exports, the page beside the result, bad result files.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "support/small_file_system.hpp"

using namespace tlsrig::tests;
using namespace std::literals;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

std::string scenario(const std::string& more = "") {
  return "schema = 1\nname = \"small\"\nworkload = \"echo\"\nbackends = [\"openssl\", \"boringssl\", \"plaintcp\"]\n"
         "[traffic]\nconnections = 2\n[measure]\nwarmup = \"20ms\"\nblock = \"40ms\"\nblocks = { min = 6, max = 6 }\n" +
         more;
}

// One real result for all tests that only read one.
const fs::path& a_result() {
  static const Scratch scratch;
  static const fs::path directory = [] {
    const auto ended = run_program({"run", scratch.file("s.toml", scenario()), "-o", "out", "-q"}, scratch.path());
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    return scratch.path() / "out";
  }();
  return directory;
}

std::string result_text() { return read_file(a_result() / "result.json"); }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string edited(const char* pointer, const Json& value) {
  Json json = Json::parse(result_text());
  json.at(Json::json_pointer(pointer)) = value;
  return json.dump(1);
}

Ended report_on(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "report");
  return run_program(arguments, scratch.path());
}

const std::vector<std::string> export_flags{"--export-json", "--export-csv", "--export-markdown", "--export-html",
                                            "--export-google-benchmark"};

}  // namespace

TEST_CASE("a run leaves its result and its page in one directory, and report makes the same of the result") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario());
  const auto ended = run_program({"run", file, "--export-csv", "r.csv", "--export-markdown", "r.md", "--export-html",
                                  "r.html", "--export-google-benchmark", "r.gb.json", "--export-json", "r.json"},
                                 scratch.path());
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  std::vector<fs::path> directories;
  for (const auto& entry : fs::directory_iterator(scratch.path() / "results")) directories.push_back(entry.path());
  REQUIRE(directories.size() == 1);
  CHECK(directories[0].filename().string().ends_with("Z-small"));
  CHECK(contains(ended.err, "Result: results/"));
  CHECK(read_file(directories[0] / "result.json") == read_file(scratch.path() / "r.json"));
  CHECK(read_file(directories[0] / "report.html") == read_file(scratch.path() / "r.html"));

  const auto again = report_on(
      scratch, {directories[0].string(), "--export-csv", "a.csv", "--export-markdown", "a.md", "--export-html",
                "a.html", "--export-google-benchmark", "a.gb.json", "--export-json", "a.json"});
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(again.out == ended.out);
  for (const char* name : {".csv", ".md", ".html", ".gb.json", ".json"}) {
    INFO(name);
    const std::string text = read_file(scratch.path() / ("r"s + name));
    CHECK(!text.empty());
    CHECK(read_file(scratch.path() / ("a"s + name)) == text);
  }
}

TEST_CASE("each format can take the place of the terminal report, one at a time") {
  const Scratch scratch;
  const std::string result = (a_result() / "result.json").string();
  const std::vector<std::string> begins{"{\n \"schema\": 1,", "", "", "<!", "{"};
  for (std::size_t i = 0; i < export_flags.size(); ++i) {
    INFO(export_flags[i]);
    const auto to_file = report_on(scratch, {result, export_flags[i], "file"});
    const auto to_stdout = report_on(scratch, {result, export_flags[i], "-"});
    INFO(to_stdout.err << to_file.err);
    CHECK(to_file.status == 0);
    CHECK(to_stdout.status == 0);
    CHECK(to_stdout.out == read_file(scratch.path() / "file"));
    CHECK(to_stdout.out.starts_with(begins[i]));
    CHECK(to_stdout.out != to_file.out);
  }
  const auto two = report_on(scratch, {result, "--export-csv", "-", "--export-json", "-"});
  CHECK(two.status == 2);
  CHECK(two.out.empty());
  CHECK(contains(two.err, "--export-json and --export-csv both ask for standard output"));

  const auto run =
      run_program({"run", scratch.file("s.toml", scenario()), "--export-csv", "-", "-o", "out", "-q"}, scratch.path());
  CHECK(run.status == 0);
  CHECK(run.out == report_on(scratch, {"out", "--export-csv", "-"}).out);
  CHECK(run.err.empty());
}

TEST_CASE("a place that cannot be written is found before anything is measured, whatever the format") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario());
  fs::create_directory(scratch.path() / "directory");
  const std::string result = (a_result() / "result.json").string();
  struct Place {
    std::string path, words;
  };
  const std::vector<Place> places{{"directory", "directory: Is a directory"},
                                  {"missing/r", "make the directory missing first"},
                                  {"/proc/r", "cannot write /proc/r: "},
                                  {"s.toml/r", "s.toml/r: Not a directory"}};
  for (const auto& flag : export_flags) {
    for (const auto& place : places) {
      INFO(flag << " " << place.path);
      for (const auto& ended : {run_program({"run", file, flag, place.path}, scratch.path()),
                                report_on(scratch, {result, flag, place.path})}) {
        INFO(ended.err);
        CHECK(ended.status == 2);
        CHECK(ended.out.empty());
        CHECK(contains(ended.err, "tlsrig: " + flag + ": cannot write "));
        CHECK(contains(ended.err, place.words));
      }
    }
  }
  CHECK_FALSE(fs::exists(scratch.path() / "results"));
}

TEST_CASE("two exports into one file, or into what is read or saved anyway, are refused") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario());
  scratch.file("old.csv", "old");
  fs::create_symlink("old.csv", scratch.path() / "link");
  fs::create_hard_link(scratch.path() / "old.csv", scratch.path() / "hard");
  const auto refused = [&](const std::vector<std::string>& arguments, std::string_view words) {
    const auto ended = run_program(arguments, scratch.path());
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, words));
  };
  const auto both = "--export-csv and --export-html name the same file, "s;
  refused({"run", file, "--export-csv", "new", "--export-html", "./new"}, both + "./new: give each its own");
  for (const char* other : {"link", "hard"})
    refused({"run", file, "--export-csv", "old.csv", "--export-html", other}, both + other);
  refused({"run", file, "-o", "out", "--export-csv", "out/result.json"}, "the run saves its result there anyway (-o)");
  fs::create_symlink("out/result.json", scratch.path() / "dangling");  // to what the run is about to write
  refused({"run", file, "-o", "out", "--export-csv", "dangling"}, "the run saves its result there anyway (-o)");
  refused({"run", file, "--export-csv", ""}, "the file's name is empty");
  const auto result = scratch.file("r.json", result_text());
  refused({"report", result, "--export-csv", "r.json"}, "it is one of the results that are read; name another file");
  CHECK(read_file(scratch.path() / "old.csv") == "old");
  CHECK(read_file(result) == result_text());
  CHECK_FALSE(fs::exists(scratch.path() / "out"));
  // A device takes what comes.
  CHECK(report_on(scratch, {result, "--export-csv", "/dev/null", "--export-html", "/dev/null"}).status == 0);
}

TEST_CASE("a disk that fills up loses nothing: exit 3 with path and reason, and where the result is") {
  const Scratch scratch;
  std::vector<std::string> arguments{"run", scratch.file("s.toml", scenario()), "-o", "out", "-q"};
  std::vector<std::string> only_report{(a_result() / "result.json").string()};
  for (const auto& flag : export_flags)
    for (auto* list : {&arguments, &only_report}) list->insert(list->end(), {flag, "/dev/full"});
  const auto run = run_program(arguments, scratch.path(), {"TMPDIR=" + scratch.path().string()});
  INFO(run.err);
  CHECK(run.status == 3);
  CHECK(contains(run.err, "tlsrig: cannot write /dev/full: No space left on device"));
  CHECK(contains(run.err, "\nResult: out/result.json"));  // which holds all of it
  CHECK(report_on(scratch, {"out"}).out == run.out);

  const auto one = run_program(
      {"run", scratch.file("s.toml", scenario()), "-o", "out2", "-q", "--export-csv", "/dev/full"}, scratch.path());
  CHECK(one.status == 3);
  CHECK(one.err ==
        "tlsrig: cannot write /dev/full: No space left on device\nResult: out2/result.json, page: out2/report.html\n");

  for (const std::string tail : {"", " --export-html -", " --export-csv -"}) {  // longer than any buffer, and shorter
    const std::string command = std::string(TLSRIG_PROGRAM) + " report " + (a_result() / "result.json").string() +
                                tail + " > /dev/full 2> " + (scratch.path() / "err").string();
    CHECK(WEXITSTATUS(std::system(command.c_str())) == 3);
    CHECK(contains(read_file(scratch.path() / "err"), "standard output cannot be written: No space left on device"));
  }

  const auto report = report_on(scratch, only_report);
  CHECK(report.status == 3);
  CHECK(contains(report.err, "tlsrig: cannot write /dev/full: No space left on device"));
  CHECK(report.out == report_on(scratch, {a_result().string()}).out);
}

TEST_CASE("a full file system keeps the run's result elsewhere") {
  const Scratch scratch;
  const fs::path disk = scratch.path() / "disk", elsewhere = scratch.path() / "elsewhere";
  fs::create_directory(disk);
  fs::create_directory(elsewhere);
  const auto file = scratch.file("s.toml", scenario());
  const auto words = test_support::on_small_file_system(disk, "16k", [&] {
    const auto ended = run_program({"run", file, "-o", (disk / "out").string(), "-q"}, scratch.path(),
                                   {"TMPDIR=" + elsewhere.string()});
    return std::to_string(ended.status) + "\n" + ended.err;
  });
  if (!words) {
    MESSAGE("a full disk is not judged: this process may not mount a file system");
    return;
  }
  INFO(*words);
  CHECK(words->starts_with("3\n"));
  for (const char* name : {"result.json", "report.html"})
    CHECK(contains(*words, "cannot write " + (disk / "out" / name).string() + ": No space left on device"));
  CHECK(contains(*words, "what was measured is in " + elsewhere.string()));
  REQUIRE(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()) == 1);
  const auto again = report_on(scratch, {fs::directory_iterator(elsewhere)->path().string()});
  CHECK(again.status == 0);
  CHECK(contains(again.out, "small"));
}

TEST_CASE("an interrupted run has its page too, and both say that it is incomplete") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n"));
  Running running({"run", file, "-o", "out", "-s", "measure.block=300ms"}, scratch.path());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (running.children().size() < 4 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  REQUIRE(::kill(running.pid(), SIGINT) == 0);
  const auto ended = running.wait(60);
  INFO(ended.err);
  CHECK(ended.status == 130);
  CHECK(read_json(scratch.path() / "out/result.json").at("complete") == false);
  CHECK(contains(read_file(scratch.path() / "out/report.html"), "ended before everything was measured"));
  const auto report = report_on(scratch, {"out"});
  CHECK(report.status == 0);
  CHECK(report.out == ended.out);
}

TEST_CASE("a result file that is none, or not as it was written, ends in exit 2 with file and reason") {
  const Scratch scratch;
  const std::string good = (a_result() / "result.json").string(), text = result_text();
  const std::string nested = "{\"schema\": 1, \"machine\": " + std::string(3'000'000, '[');
  std::string damaged = text;
  damaged[100] = '\0';
  Json twice = Json::parse(text);
  twice["cells"][0]["arms"][1]["id"] = twice["cells"][0]["arms"][0]["id"];
  Json nobody = Json::parse(text);
  nobody["cells"][0]["comparisons"][0]["arm"] = "nobody";
  struct Bad {
    std::string text, words;
  };
  const std::vector<Bad> files{
      {"", ": it is empty"},
      {text.substr(0, text.size() / 2),
       ": it is cut off after " + std::to_string(text.size() / 2) + " bytes, in cells"},
      {scenario(), ": it is not JSON, but looks like TOML"},
      {read_file(a_result() / "report.html"), ": it is not JSON, but looks like HTML"},
      {"Segmentation fault\n", ": it is not JSON: line 1, column 1"},
      {std::string("\x1f\x8b\x08\0"sv), ": it is compressed with gzip"},
      {std::string("\xff\xfe{\0"sv), ": it is UTF-16"},
      {damaged, ": it holds a NUL byte at offset 100"},
      {nested, ": machine"},
      {nested, "nested more than 64 levels deep"},
      {"{}", ": the key \"schema\" is missing"},
      {edited("/schema", 2), ": schema: found 2, 1 (the schema that this version of tlsrig reads) is needed"},
      {edited("/cells/0/arms/0/status", "fine"), ": cells[0].arms[0].status: found \"fine\", one of"},
      {edited("/cells/0/arms/0/blocks/0/seconds", "x"), ": cells[0].arms[0].blocks[0].seconds: found \"x\", a number"},
      {edited("/cells/0/arms/0/blocks/0/seconds", -1), ": cells[0].arms[0].blocks[0].seconds: found -1, a number"},
      {edited("/cells/0/arms/0/metrics/throughput/value", 140600), "throughput is 140600, its blocks give "},
      {edited("/cells/0/comparisons/0/n", 5), ": cells[0] (small): "},
      {twice.dump(), "is the id of another arm too"},
      {nobody.dump(), ": cells[0].comparisons[0].arm: \"nobody\" is no arm of this cell"},
      {std::string(text).replace(text.find("\"seed\": ") + 8, 0, "1e999, \"new\": "),
       ": seed: 1e999 is out of range: no number is that large"},
  };
  for (const auto& bad : files) {
    const auto file = scratch.file("r.json", bad.text);
    INFO(bad.words);
    for (const auto& command : std::vector<std::vector<std::string>>{{"report", "r.json"},
                                                                     {"report", good, "r.json"},
                                                                     {"compare", "r.json", good},
                                                                     {"compare", good, "r.json"}}) {
      const auto ended = run_program(command, scratch.path());
      INFO(command[0] << ": " << ended.err);
      CHECK(ended.status == 2);
      CHECK(ended.out.empty());
      CHECK(ended.err.starts_with("tlsrig: r.json: "));
      CHECK(contains(ended.err, bad.words));
    }
  }
  const auto refused = [&](const std::string& argument, std::string_view words) {
    const auto ended = report_on(scratch, {argument});
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, words));
  };
  fs::create_directory(scratch.path() / "empty");
  refused("empty", "empty/result.json: it cannot be opened: No such file or directory");
  refused("missing.json", "missing.json: it cannot be opened: No such file or directory");
  refused("/proc/self/mem", "/proc/self/mem: it cannot be read: ");
}

TEST_CASE("faults of all result files are told at once") {
  const Scratch scratch;
  scratch.file("a.json", "");
  scratch.file("b.json", "[]");
  const auto ended = report_on(scratch, {"a.json", a_result().string(), "b.json"});
  CHECK(ended.status == 2);
  CHECK(contains(ended.err, "tlsrig: a.json: it is empty"));
  CHECK(contains(ended.err, "tlsrig: b.json: found an empty list"));
}

TEST_CASE("several results stand side by side, from files, directories and standard input") {
  const Scratch scratch;
  const auto file = scratch.file("s.toml", scenario());
  REQUIRE(run_program({"run", file, "-o", "after", "-q", "--seed", "7"}, scratch.path()).status == 0);
  fs::copy_file(a_result() / "result.json", scratch.path() / "before.json");
  const auto both = report_on(scratch, {"before.json", "after", "--export-json", "both.json"});
  INFO(both.err << both.out);
  CHECK(both.status == 0);
  CHECK(both.out.starts_with("2 runs, before and after, stand side by side. Nothing is compared between them"));
  for (const char* part : {"\nsmall@before\n", "\nsmall@after\n", "\nRun before\n", "\nRun after\n"}) {
    INFO(part);
    CHECK(contains(both.out, part));
  }
  const auto merged = read_json(scratch.path() / "both.json");
  CHECK(merged.at("cells").size() == 2);
  CHECK(merged.at("runs").at(1).at("seed") == 7);
  CHECK(report_on(scratch, {"both.json"}).out == both.out);
  for (const auto& flag : export_flags) {
    INFO(flag);
    const auto exported = report_on(scratch, {"before.json", "after", flag, "-"});
    CHECK(exported.status == 0);
    // Markdown keeps "@" from calling somebody.
    CHECK((contains(exported.out, "small@after") || contains(exported.out, "small@\u2060after")));
  }

  const std::string program = TLSRIG_PROGRAM;
  scratch.file("script.sh", program + " report - < before.json > from-stdin\n");
  REQUIRE(std::system(("cd " + scratch.path().string() + " && sh script.sh").c_str()) == 0);
  CHECK(read_file(scratch.path() / "from-stdin") == report_on(scratch, {"before.json"}).out);

  fs::copy_file(scratch.path() / "before.json", scratch.path() / "copy.json");
  const auto refused = [&](const std::vector<std::string>& files, std::string_view words) {
    const auto ended = report_on(scratch, files);
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, words));
  };
  refused({"before.json", "./before.json"}, "before.json and ./before.json are the same file: a run counts once");
  refused({"after", "after/result.json"}, "after and after/result.json are the same file");
  refused({"before.json", "copy.json"}, "before and copy are the same run (seed ");
  refused({"before.json", "both.json"}, "before and both/before are the same run");
}
