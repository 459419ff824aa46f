// Reading results back: the same as was written, and words for whatever is none.
#include <doctest/doctest.h>

#include <unistd.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/file/document.hpp>
#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/model.hpp>

#include "report_sample.hpp"
#include "support/temporary.hpp"

namespace report = tlsrig::report;
using report::Json;
using namespace std::string_view_literals;

namespace {

std::string fault_of(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const report::UnreadableResult& fault) {
    return fault.what();
  }
  return "(nothing was wrong)";
}

// What is wrong with the sample when one value of it is another.
std::string fault_with(const char* pointer, const Json& value) {
  Json json = report::to_json(sample::result());
  json.at(Json::json_pointer(pointer)) = value;
  return fault_of([&] { report::result_from_json(json); });
}

std::string fault_without(const std::string& pointer) {
  Json json = report::to_json(sample::result());
  const Json::json_pointer place(pointer);
  json.at(place.parent_pointer()).erase(place.back());
  return fault_of([&] { report::result_from_json(json); });
}

std::string fault_in(std::string_view text) {
  return fault_of([&] { report::parse_document(std::string(text)); });
}

class Files : public tlsrig::tests::TemporaryDirectory {
 public:
  std::filesystem::path file(std::string_view text) const {
    std::ofstream(path() / "r.json", std::ios::binary) << text;
    return path() / "r.json";
  }
  // Without the file's name, which has to be there.
  std::string fault_at(const std::filesystem::path& file) const {
    const std::string words = fault_of([&] { report::read_result(file); }), before = file.string() + ": ";
    REQUIRE(words.substr(0, before.size()) == before);
    return words.substr(before.size());
  }
  std::string fault(std::string_view text) const { return fault_at(file(text)); }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

report::Result everything() {
  report::Result result = sample::result();
  result.started = "2026-01-31T12:00:00Z";
  result.in_process = result.quick = true;
  report::Arm& arm = result.cells[0].arms[0];
  arm.variant = "tuned";
  arm.settings = {{"workload", "echo"}, {"socket", {{"in_force", {{"client", 1}}}}}};
  arm.proof.resumed_yes = 3;
  arm.proof.resumed_no = 0;
  arm.proof.hello_retry = arm.proof.encrypt_then_mac = false;
  arm.proof.signature = "ed25519";
  arm.proof.tickets = 12;
  arm.proof.roles["client"] = {10, 11, std::nullopt, 13, 14, 15, 7, 8};
  arm.metrics[0].description = "round trips";
  arm.blocks[1].steal = 0.25;
  result.cells[0].comparisons[1].blocks_needed = 80;
  result.cells[1].arms[0].status = report::Status::incomplete;
  result.cells[1].arms[0].proof.errors["truncated"] = 2;
  result.cells[1].baseline.clear();
  result.thresholds = {{"low > 0.95", "throughput", result.cells[0].id, "boringssl", "boringssl", 1.07, true, {}},
                       {"value < 1ms", "service_time_p99", result.cells[0].id, "wolfssl", "wolfssl", {}, {}, "failed"}};
  return result;
}

}  // namespace

TEST_CASE("what was written is what is read") {
  const report::Result empty;
  for (const report::Result& result : {sample::result(), everything(), empty}) {
    const Json json = report::to_json(result);
    CHECK(report::to_json(report::result_from_json(json)).dump(1) == json.dump(1));
    const Files files;
    CHECK(report::to_json_text(report::read_result(files.file(report::to_json_text(result)))) ==
          report::to_json_text(result));
  }
}

TEST_CASE("a byte order mark and keys of a newer version are passed over") {
  Json json = report::to_json(sample::result());
  json["new"] = {{"deep", {1, 2}}};
  json["cells"][0]["arms"][0]["blocks"][0]["new"] = nullptr;
  json["cells"][0]["self_check"]["throughput"]["new"] = 1;
  json["cells"][0]["arms"][0]["proof"]["new"] = "x";
  const Files files;
  CHECK(report::to_json(report::read_result(files.file("\xef\xbb\xbf" + json.dump()))) ==
        report::to_json(sample::result()));
}

TEST_CASE("a value that does not fit is named with its place, what was found and what is needed") {
  CHECK(fault_with("/cells/0/arms/0/blocks/0/seconds", "x") ==
        "cells[0].arms[0].blocks[0].seconds: found \"x\", a number is needed");
  CHECK(fault_with("/cells/0/arms/0/blocks/0/seconds", -1.5) ==
        "cells[0].arms[0].blocks[0].seconds: found -1.5, a number above 0 is needed");
  CHECK(fault_with("/cells/0/arms/0/blocks/0/seconds", nullptr) ==
        "cells[0].arms[0].blocks[0].seconds: found null, a number is needed");
  CHECK(fault_with("/cells/0/arms/0/blocks/0/operations", -1) ==
        "cells[0].arms[0].blocks[0].operations: found -1, a whole number from 1 on is needed");
  CHECK(fault_with("/cells/0/arms/0/blocks/0/operations", 1.5) ==
        "cells[0].arms[0].blocks[0].operations: found 1.5, a whole number from 1 on is needed");
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/value", -3) ==
        "cells[0].arms[0].metrics.throughput.value: found -3, a number not below 0 is needed");
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/low", 1e9) ==
        "cells[0].arms[0].metrics.throughput.low: found 1000000000.0, a number not above that of \"high\", "
        "141584.19999999998, is needed");
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/low", nullptr) ==
        "cells[0].arms[0].metrics.throughput: an interval needs both its ends, or both null");
  CHECK(fault_with("/cells/0/arms/0/status", "splendid") ==
        "cells[0].arms[0].status: found \"splendid\", one of \"ok\", \"failed\", \"unsupported\", \"incomplete\" is "
        "needed");
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/better", "blue") ==
        "cells[0].arms[0].metrics.throughput.better: found \"blue\", one of \"higher\", \"lower\" is needed");
  CHECK(fault_with("/cells/0/comparisons/0/ratio", 0) ==
        "cells[0].comparisons[0].ratio: found 0, a number above 0 is needed");
  CHECK(fault_with("/cells/0/arms", Json::object()) == "cells[0].arms: found an empty object, a list is needed");
  CHECK(fault_with("/cells/0/id", "") == "cells[0].id: found \"\", a text that is not empty is needed");
  CHECK(fault_with("/cells/0/id", "a\x1b[31mb") ==
        "cells[0].id: found \"a\\u001b[31mb\", a name without control characters is needed");
  CHECK(fault_with("/complete", 1) == "complete: found 1, true or false is needed");
  CHECK(fault_with("/machine", Json::array()) == "machine: found an empty list, an object is needed");
  CHECK(fault_with("/backends/0/files/0/path", 7) == "backends[0].files[0].path: found 7, a text is needed");
  CHECK(fault_with("/scenarios/0/name", std::string(5000, 'n')) ==
        "scenarios[0].name: found a name of 5000 bytes; at most 4096 are read");
  CHECK(fault_with("/cells/0/params", {{"a b", 1}}) == "cells[0].params[\"a b\"]: found 1, a text is needed");
  CHECK(fault_without("/cells/0/arms/0/proof/connections/asked") ==
        "cells[0].arms[0].proof.connections: the key \"asked\" is missing");
}

// Keys that the format's first version had not: files of then can be read.
bool came_later(const std::string& path) {
  for (const char* key : {"/started", "/cells/0/baseline", "/cells/1/baseline", "/warmup_operations"})
    if (path.ends_with(key)) return true;
  if (path.find("/proof/roles/") != std::string::npos && path.ends_with("/operations")) return true;
  for (const char* key : {"/metric", "/cell", "/arm", "/kind"})
    if (path.starts_with("/thresholds/") && path.ends_with(key)) return true;
  return false;
}

TEST_CASE("every key that is written is needed") {
  const Json json = report::to_json(sample::result());
  std::vector<std::string> kept;  // needed where it should not be, or the other way round
  std::size_t keys = 0;
  const std::function<void(const Json&, const std::string&)> visit = [&](const Json& value, const std::string& path) {
    // What is carried along as it is, and what has names instead of keys.
    for (const char* free : {"/machine", "/effective", "/layout", "/params", "/settings"})
      if (path.ends_with(free)) return;
    if (value.is_array() && !value.empty()) visit(value[0], path + "/0");
    if (!value.is_object()) return;
    bool named = false;
    for (const char* map : {"/metrics", "/roles", "/source"}) named = named || path.ends_with(map);
    for (const auto& item : value.items()) {
      const std::string below = path + "/" + item.key();
      ++keys;
      const bool needed = fault_without(below) != "(nothing was wrong)";
      if (!named && needed == came_later(below)) kept.push_back(below);
      visit(item.value(), below);
    }
  };
  visit(json, "");
  CHECK(keys > 90);
  CHECK(kept.empty());
}

TEST_CASE("histograms are pairs in order") {
  const char* const place = "/cells/0/arms/0/blocks/0/histogram";
  const std::string needed = " is needed", path = "cells[0].arms[0].blocks[0].histogram: ";
  CHECK(fault_with(place, "x") == path + "found \"x\", a list of [nanoseconds, count], ascending, is needed");
  for (const char* bad : {"[[5,1],[5,1]]", "[[5]]", "[[5,-1]]", "[[5,1,1]]", "[5]", "[[1e300,1]]", "[[5,\"1\"]]",
                          "[[]]", "[[18446744073709551615,1]]"}) {
    INFO(bad);
    CHECK(contains(fault_with(place, Json::parse(bad)), "[nanoseconds, count], ascending, is needed"));
  }
}

TEST_CASE("parts that do not belong together") {
  CHECK(fault_with("/cells/0/comparisons/1/arm", "gnutls") ==
        "cells[0].comparisons[1].arm: \"gnutls\" is no arm of this cell, which has openssl, openssl#2, boringssl, "
        "wolfssl, plaintcp");
  CHECK(fault_with("/cells/0/comparisons/1/arm", "wolfssl") ==
        "cells[0].comparisons[1].arm: \"wolfssl\" is failed: only arms that are ok are compared");
  CHECK(fault_with("/cells/0/comparisons/1/arm", "plaintcp") ==
        "cells[0].comparisons[2]: the second comparison of this arm and metric");
  CHECK(contains(fault_with("/cells/0/baseline", "nobody"), "cells[0].baseline: \"nobody\" is no arm of this cell"));
  CHECK(fault_with("/cells/0/arms/2/id", "openssl") ==
        "cells[0]: arms[2].id: \"openssl\" is the id of another arm too");
  CHECK(fault_with("/cells/1/id", "echo/message_size=1KiB") == "cells[1]: the second cell of that id");
  CHECK(fault_with("/backends/1/name", "openssl") == "backends[1]: the second record of that name and variant");
  CHECK(fault_with("/cells/0/arms/3/metrics", report::to_json(sample::result())["cells"][0]["arms"][0]["metrics"]) ==
        "cells[0].arms[3].metrics: found metrics, an arm that is failed has none");
  CHECK(contains(fault_with("/cells/0/self_check/throughput/ratio", 1.5),
                 "cells[0].self_check: found {\"throughput\":{\"ratio\":1.5"));
  CHECK(contains(fault_with("/self_check/cell", "elsewhere"), "self_check: found {\"cell\":\"elsewhere\""));
  Json json = report::to_json(sample::result());
  json["cells"][0]["run"] = "before";
  CHECK(fault_of([&] { report::result_from_json(json); }) == "cells[0].run: \"before\" is none of \"runs\"");
}

TEST_CASE("another schema, and other JSON") {
  CHECK(fault_with("/schema", 2) == "schema: found 2, 1 (the schema that this version of tlsrig reads) is needed");
  CHECK(contains(fault_with("/schema", "1"), "schema: found \"1\", 1 (the schema"));
  CHECK(fault_without("/schema") == "the key \"schema\" is missing: no result of tlsrig run");
  const auto fault = [](const char* text) { return fault_of([&] { report::result_from_json(Json::parse(text)); }); };
  CHECK(contains(fault("{\"context\": {}, \"benchmarks\": []}"), "this is Google Benchmark's JSON"));
  CHECK(fault("[1]") == "found a list, an object with \"schema\": 1 is needed");
  CHECK(fault("3") == "found 3, an object with \"schema\": 1 is needed");
}

TEST_CASE("text that is not JSON is called what it looks like") {
  CHECK(fault_in(" \n\t") == "it holds nothing but white space");
  CHECK(contains(fault_in("schema = 1\nname = \"echo\"\n"), "looks like TOML"));
  CHECK(contains(fault_in("# Request and reply.\n[measure]\nblock = \"1s\"\n"), "looks like TOML"));
  CHECK(contains(fault_in("<!DOCTYPE html>\n<html>"), "looks like HTML or XML"));
  CHECK(contains(fault_in("# Results\n\n| a | b |\n"), "looks like Markdown"));
  CHECK(contains(fault_in("cell,arm,metric\n"), "looks like CSV"));
  CHECK(fault_in("Segmentation fault") == "it is not JSON: line 1, column 1: invalid literal at 'S'");
  CHECK(fault_in("{\"schema\": 1,\n \"cells\": [1, nan]}") ==
        "it is not JSON: line 2, column 16 (in cells[1]): invalid literal at '1, na'");
  CHECK(contains(fault_in("{\"a\": \"\xff\"}"), "invalid string: ill-formed UTF-8 byte"));
  CHECK(contains(fault_in("{'a': 1}"), "it is not JSON: line 1, column 2: "));
  CHECK(contains(fault_in("{\"a\": 1} {}"), "it is not JSON: line 1, column 10: "));
}

TEST_CASE("a file cut off anywhere is said to be, or is whole") {
  const std::string text = report::to_json_text(sample::result());
  CHECK(fault_in(text.substr(0, text.find("\"operations\"") + 3)) ==
        "it is cut off after " + std::to_string(text.find("\"operations\"") + 3) +
            " bytes, in cells[0].arms[0].blocks[0].seconds: written or copied in part");
  for (std::size_t size = 1; size + 2 < text.size(); size += 149) {
    INFO(size << ": " << fault_in(text.substr(0, size)));
    CHECK(contains(fault_in(text.substr(0, size)), "it is cut off after " + std::to_string(size) + " bytes"));
  }
}

TEST_CASE("numbers that no double holds, keys twice, objects and nesting without end") {
  CHECK(fault_in("{\"cells\": [{\"id\": 1e999}]}") == "cells[0].id: 1e999 is out of range: no number is that large");
  CHECK(fault_in("{\"cells\": [{\"id\": 1, \"id\": 2}]}") == "cells[0]: the key \"id\" stands there twice");
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text = "{\"machine\":";
    for (int i = 0; i < 1'000'000; ++i) text += open;
    CHECK(contains(fault_in(text), "nested more than 64 levels deep; no result is"));
  }
  CHECK(contains(fault_in(std::string(1'000'000, '[')), "nested more than 64 levels deep"));
  std::string keys = "{\"machine\": {\"k0\": 0";
  for (int i = 1; i < 20'000; ++i) keys += ", \"k" + std::to_string(i) + "\": 0";
  CHECK(fault_in(keys + "}}") == "machine: an object of more than 10000 keys; no result has that");
}

TEST_CASE("files that are no text, or cannot be read") {
  const Files files;
  CHECK(files.fault("") == "it is empty: nothing was ever written, or the disk was full");
  CHECK(contains(files.fault("\x1f\x8b\x08\0\0"sv), "compressed with gzip"));
  CHECK(contains(files.fault("\x28\xb5\x2f\xfd\0"sv), "compressed with zstd"));
  CHECK(contains(files.fault("\xff\xfe{\0\"\0"sv), "it is UTF-16; UTF-8 is needed"));
  CHECK(contains(files.fault("{\0\"\0s\0"sv), "it is UTF-16"));
  CHECK(contains(files.fault("\0{\0\"\0s"sv), "it is UTF-16"));
  std::string damaged = report::to_json_text(sample::result());
  for (std::size_t i = 500; i < 600; ++i) damaged[i] = '\0';
  CHECK(files.fault(damaged) == "it holds a NUL byte at offset 500: binary, or damaged on disk; JSON is needed");
  CHECK(contains(files.fault_at("/dev/zero"), "it holds a NUL byte at offset 0"));
  CHECK(contains(files.fault_at("/proc/self/exe"), "it is a program or library, not a result"));
  CHECK(files.fault_at(files.path()) == "it is a directory; a result file is needed, such as the result.json in it");
  CHECK(files.fault_at(files / "missing.json") == "it cannot be opened: No such file or directory");
  CHECK(files.fault_at("/proc/self/mem") == "it cannot be read: Input/output error");
}

TEST_CASE("a result comes through a pipe") {
  const std::string text = "{\"schema\": 2}";
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  CHECK(fault_of([&] { report::read_result(name); }).starts_with(name + ": schema: found 2"));
  ::close(ends[0]);
}

TEST_CASE("the reference names every key that is written, and no other") {
  // Objects that are carried along whole, and objects whose keys are names.
  const std::set<std::string> whole{"machine", "effective", "features", "settings", "layout", "histogram"};
  const std::map<std::string, std::string> named{{"params", "KEY"}, {"source", "FIELD"}, {"errors", "KIND"},
                                                 {"roles", "ROLE"}, {"metrics", "NAME"}, {"self_check", "METRIC"}};
  std::set<std::string> written;
  const std::function<void(const Json&, const std::string&, const std::string&)> visit =
      [&](const Json& value, const std::string& path, const std::string& key) {
        if (value.is_array() && !whole.contains(key)) {
          written.insert(path + "[]");
          for (const Json& element : value) visit(element, path + "[]", "");
        } else if (value.is_object() && !whole.contains(key)) {
          const auto name = path == "self_check" ? named.end() : named.find(key);
          for (const auto& item : value.items()) {
            const std::string part = name == named.end()             ? item.key()
                                     : path.ends_with("proof.roles") ? "PART"
                                                                     : name->second;
            visit(item.value(), path + (path.empty() ? "" : ".") + part, part);
          }
        } else if (!value.is_null() || path != "self_check") {
          written.insert(path);
        }
      };
  const report::Result one = everything();
  report::Result other = everything();
  other.seed = 1;
  for (const Json& json : {report::to_json(one), report::to_json(report::merge({{"a", one}, {"b", other}}))})
    visit(json, "", "");
  std::erase_if(written, [&](const std::string& path) {  // lists of objects: their keys are the reference
    return path.ends_with("[]") && written.lower_bound(path + ".") != written.end() &&
           written.lower_bound(path + ".")->starts_with(path + ".");
  });
  written.erase("cells[].self_check");

  std::set<std::string> told;
  std::string prefix;
  std::ifstream reference(TLSRIG_SOURCE "/core/report/README.md");
  REQUIRE(reference.is_open());
  for (std::string line; std::getline(reference, line);) {
    if (line.starts_with("#")) {
      const auto begin = line.find('`');
      prefix = begin == std::string::npos ? "" : line.substr(begin + 1, line.rfind('`') - begin - 1) + ".";
    }
    if (!line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::size_t begin = cell.find('`'); begin != std::string::npos;) {
      const std::size_t end = cell.find('`', begin + 1);
      told.insert(prefix + cell.substr(begin + 1, end - begin - 1));
      begin = cell.find('`', end + 1);
    }
  }
  const auto beyond = [](const std::set<std::string>& all, const std::set<std::string>& other_set) {
    std::string words;
    for (const auto& each : all)
      if (!other_set.contains(each)) words += each + "\n";
    return words;
  };
  CHECK(written.size() > 90);
  CHECK(beyond(written, told) == "");
  CHECK(beyond(told, written) == "");
}
