// The result as Google Benchmark's JSON: its fields, and what Google Benchmark's own compare.py makes of it.
#include <doctest/doctest.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tlsrig/report/render.hpp>

#include "report_sample.hpp"
#include "support/temporary.hpp"

namespace report = tlsrig::report;
using Json = nlohmann::json;

namespace {

constexpr const char* compare_script = "/usr/share/benchmark/compare.py";

// openssl's eight blocks differ, so that aggregates are worth something; boringssl takes 0.9 of their times.
report::Result varied(double factor = 1) {
  report::Result result = sample::result();
  for (report::Arm& arm : result.cells[0].arms) {
    for (std::size_t i = 0; i < arm.blocks.size(); ++i)
      arm.blocks[i].seconds = 0.2 * factor * (1 + 0.01 * static_cast<double>(i)) * (arm.id == "boringssl" ? 0.9 : 1);
  }
  result.started = "2026-01-31T12:00:00Z";
  return result;
}

Json exported(const report::Result& result) { return Json::parse(report::to_google_benchmark(result)); }

std::vector<Json> entries(const Json& document, const std::string& name) {
  std::vector<Json> found;
  for (const Json& entry : document.at("benchmarks")) {
    if (entry.at("name") == name) found.push_back(entry);
  }
  return found;
}

struct Ended {
  int status = -1;
  std::string output;  // both streams
};

Ended run(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ended ended;
  std::array<char, 4096> buffer{};
  for (std::size_t size; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    ended.output.append(buffer.data(), size);
  const int status = ::pclose(pipe);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

// compare.py with these arguments. Its rank test is left out, and where scipy is missing a stand-in serves for the
// geometric mean (tests/support/scipy_stand_in says why); everything else is the tool as Debian ships it.
Ended compare(const std::string& arguments) {
  const std::string missing = std::string(compare_script) + " is missing: install Debian's package libbenchmark-tools";
  REQUIRE_MESSAGE(std::filesystem::exists(compare_script), missing);
  REQUIRE_MESSAGE(run("python3 --version").status == 0, "python3 is missing: install Debian's package python3");
  const bool has_scipy = run("python3 -c 'import numpy, scipy.stats'").status == 0;
  return run(std::string(has_scipy ? "" : "PYTHONPATH='" TLSRIG_SCIPY_STAND_IN "' ") +
             "PYTHONDONTWRITEBYTECODE=1 python3 " + compare_script + " --no-utest --no-color " + arguments);
}

std::string written(const tlsrig::tests::TemporaryDirectory& directory, const std::string& name,
                    const report::Result& result) {
  const std::filesystem::path file = directory.path() / name;
  std::ofstream(file) << report::to_google_benchmark(result);
  return "'" + file.string() + "'";
}

// The words of the first line that begins like this.
std::vector<std::string> words_of(const std::string& output, const std::string& beginning) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(beginning)) continue;
    std::istringstream words(line);
    std::vector<std::string> list;
    for (std::string word; words >> word;) list.push_back(word);
    return list;
  }
  FAIL("no line begins with " << beginning << " in:\n" << output);
  return {};
}

}  // namespace

TEST_CASE("google_benchmark: an entry per cell, arm and block, and aggregates") {
  const Json document = exported(varied());
  CHECK(document.at("context").at("date") == "2026-01-31T12:00:00Z");
  const auto blocks = entries(document, "echo/message_size=1KiB/openssl");
  REQUIRE(blocks.size() == 8);
  const Json& second = blocks[1];
  CHECK(second.at("run_type") == "iteration");
  CHECK(second.at("repetitions") == 8);
  CHECK(second.at("repetition_index") == 1);
  CHECK(second.at("iterations") == 30000);
  CHECK(second.at("time_unit") == "ns");
  CHECK(second.at("real_time").get<double>() == doctest::Approx(0.202 * 1e9 / 30000));
  CHECK(second.at("cpu_time").get<double>() == doctest::Approx((0.1 + 0.08 + 0.09 + 0.1) * 1e9 / 30000));
  CHECK(second.at("items_per_second").get<double>() == doctest::Approx(30000 / 0.202));
  CHECK(second.at("bytes_per_second").get<double>() == doctest::Approx(2048 * 30000 / 0.202));

  const auto aggregate = [&](const std::string& name) {
    const auto found = entries(document, "echo/message_size=1KiB/openssl_" + name);
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("run_type") == "aggregate");
    CHECK(found[0].at("run_name") == "echo/message_size=1KiB/openssl");
    CHECK(found[0].at("aggregate_name") == name);
    CHECK(found[0].at("iterations") == 8);
    return found[0].at("real_time").get<double>();
  };
  const double unit = 0.2 * 1e9 / 30000;  // of block 0
  CHECK(aggregate("mean") == doctest::Approx(unit * 1.035));
  CHECK(aggregate("median") == doctest::Approx(unit * 1.035));
  CHECK(aggregate("stddev") == doctest::Approx(unit * 0.01 * 2.449489743));  // of 0 .. 7: sqrt(6)
  CHECK(aggregate("cv") == doctest::Approx(0.01 * 2.449489743 / 1.035));
}

TEST_CASE("google_benchmark: what has no number is left out, and named") {
  const Json document = exported(varied());
  for (const Json& entry : document.at("benchmarks"))
    CHECK(entry.at("name").get<std::string>().find("wolfssl") == std::string::npos);
  const std::string left_out = document.at("context").at("tlsrig_left_out").dump();
  CHECK(left_out.find("echo/message_size=1KiB/wolfssl: failed: the wire shows") != std::string::npos);
  const Json empty = exported(report::Result{});
  CHECK(empty.at("benchmarks").empty());
}

TEST_CASE("google_benchmark: compare.py compares two results") {
  const tlsrig::tests::TemporaryDirectory directory;
  const std::string before = written(directory, "before.json", varied());
  const std::string after = written(directory, "after.json", varied(1.25));
  const Ended ended = compare("benchmarks " + before + " " + after);
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto words = words_of(ended.output, "echo/message_size=1KiB/openssl_mean ");
  REQUIRE(words.size() == 7);
  CHECK(words[1] == "+0.2500");  // time
  CHECK(words[2] == "+0.0000");  // CPU
  CHECK(words[3] == "6900");     // 0.2 s * 1.035 / 30000
  CHECK(words[4] == "8625");
  CHECK(words_of(ended.output, "OVERALL_GEOMEAN ").at(1) == "+0.2500");
}

TEST_CASE("google_benchmark: compare.py compares two arms of one result") {
  const tlsrig::tests::TemporaryDirectory directory;
  const std::string file = written(directory, "result.json", varied());
  const Ended ended = compare("-a filters " + file + " openssl_ boringssl_");
  INFO(ended.output);
  CHECK(ended.status == 0);
  const auto words = words_of(ended.output, "echo/message_size=1KiB/[openssl_ vs. boringssl_]mean ");
  REQUIRE(words.size() == 9);
  CHECK(words[3] == "-0.1000");
}
