// Several results in one: whose is what, and nothing that looks like a comparison of two runs.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>

#include "report_sample.hpp"

namespace report = tlsrig::report;

namespace {

report::Result run(std::uint64_t seed, const std::string& load = "0.10") {
  report::Result result = sample::result();
  result.seed = seed;
  result.machine["load"] = load;
  result.scenarios.push_back({"engine", "engine.toml", nullptr});
  result.thresholds = {{"low > 0.9", "throughput", result.cells[0].id, "boringssl", "boringssl", 1.07, true, {}}};
  return result;
}

report::Result only(report::Result result, std::size_t cell) {
  result.cells = {result.cells[cell]};
  result.scenarios = {result.scenarios[cell]};
  if (cell != 0) result.thresholds.clear();
  return result;
}

std::vector<std::string> ids(const report::Result& result) {
  std::vector<std::string> ids;
  for (const auto& cell : result.cells) ids.push_back(cell.id);
  return ids;
}

using Names = std::vector<std::string>;
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("merge: one result is itself") {
  const report::Result one = run(1);
  CHECK(report::to_json(report::merge({{"a.json", one}})) == report::to_json(one));
  CHECK(report::runs_sentence(one).empty());
}

TEST_CASE("merge: cells of one name stay apart and carry their run") {
  report::Result second = run(2);
  second.backends[0].library = "OpenSSL 3.5.1";
  second.backends[0].files[0].build_id = "ffff";
  second.complete = false;
  second.quick = true;
  second.command = {"tlsrig", "run", "echo", "--quick"};
  const report::Result both = report::merge({{"old/before.json", run(1)}, {"after.json", second}});
  CHECK(ids(both) == Names{"echo@before/message_size=1KiB", "engine@before/operation=wrap/message_size=16KiB",
                           "echo@after/message_size=1KiB", "engine@after/operation=wrap/message_size=16KiB"});
  CHECK(both.cells[2].scenario == "echo@after");
  CHECK(both.cells[2].run == "after");
  CHECK(both.thresholds[1].cell == "echo@after/message_size=1KiB");
  CHECK_FALSE(both.complete);
  CHECK(both.quick);
  CHECK_FALSE(both.in_process);
  CHECK(both.command.empty());
  CHECK(both.version == "0.1.0");
  REQUIRE(both.runs.size() == 2);
  CHECK(both.runs[0].seed == 1);
  CHECK(both.runs[0].complete);
  CHECK_FALSE(both.runs[0].quick);
  CHECK(both.runs[1].command == Names{"tlsrig", "run", "echo", "--quick"});
  CHECK(both.runs[1].machine["cpus"] == 2);

  REQUIRE(both.backends.size() == 8);
  CHECK(report::find_backend(both, both.cells[0].arms[0])->library == "OpenSSL 3.0.17 1 Jul 2025");
  CHECK(report::find_backend(both, both.cells[2].arms[0])->library == "OpenSSL 3.5.1");

  for (const auto& cell : both.cells)
    for (const auto& comparison : cell.comparisons) {
      INFO(cell.id << " " << comparison.arm);
      CHECK(std::count_if(cell.arms.begin(), cell.arms.end(),
                          [&](const auto& arm) { return arm.id == comparison.arm; }) == 1);
    }
  for (const auto& conclusion : report::conclusions(both)) CHECK(contains(conclusion.scenario, "@"));
}

TEST_CASE("merge: names that do not clash stay as they are, unless the machines differ") {
  const report::Result echo = only(run(1), 0), engine = only(run(2), 1);
  const report::Result both = report::merge({{"a.json", echo}, {"b.json", engine}});
  CHECK(ids(both) == Names{"echo/message_size=1KiB", "engine/operation=wrap/message_size=16KiB"});
  CHECK(both.cells[1].run == "b");
  CHECK(both.machine == only(run(1), 0).machine);
  CHECK(report::runs_sentence(both) ==
        "2 runs, a and b, stand side by side. Nothing is compared between them: a machine drifts by more than most "
        "builds differ. To compare two builds, put both into one run with --variant.");

  report::Result elsewhere = engine;
  elsewhere.machine["cpu"] = "Another";
  elsewhere.machine["limits"]["nofile"] = 2048;
  const report::Result apart = report::merge({{"a.json", echo}, {"b.json", elsewhere}});
  CHECK(ids(apart) == Names{"echo@a/message_size=1KiB", "engine@b/operation=wrap/message_size=16KiB"});
  CHECK_FALSE(apart.machine.contains("cpu"));
  CHECK(apart.machine["cpus"] == 2);
  CHECK(contains(report::runs_sentence(apart), " Their machines differ: cpu, limits."));
}

TEST_CASE("merge: the load is no difference between machines") {
  const report::Result both = report::merge({{"a.json", only(run(1, "0.1"), 0)}, {"b.json", only(run(2, "3.2"), 1)}});
  CHECK_FALSE(contains(report::runs_sentence(both), "differ:"));
  CHECK(ids(both)[0] == "echo/message_size=1KiB");
  CHECK_FALSE(both.machine.contains("load"));
  CHECK(both.runs[1].machine["load"] == "3.2");
}

TEST_CASE("merge: a run that comes twice is refused, also as an earlier state of itself and inside a merged result") {
  const auto refusal = [](const std::vector<report::NamedResult>& results) -> std::string {
    try {
      report::merge(results);
    } catch (const report::SameRun& same) {
      return same.what();
    }
    return "(merged)";
  };
  CHECK(refusal({{"a.json", run(1)}, {"b.json", run(1)}}) ==
        "a and b are the same run (seed 1): a run counts once; name it once");
  CHECK(contains(refusal({{"a.json", run(1)}, {"b.json", only(run(1), 0)}}), "a and b are the same run"));
  const report::Result both = report::merge({{"a.json", run(1)}, {"b.json", run(2)}});
  CHECK(contains(refusal({{"both.json", both}, {"c.json", run(2)}}), "both/b and c are the same run"));
}

TEST_CASE("merge: labels come from files, or from the directory of a result.json") {
  const auto labels = [](const std::vector<std::string>& files) {
    std::vector<report::NamedResult> results;
    for (const auto& file : files) results.push_back({file, run(results.size() + 1)});
    Names found;
    for (const auto& each : report::merge(std::move(results)).runs) found.push_back(each.label);
    return found;
  };
  CHECK(labels({"x/before.json", "-"}) == Names{"before", "stdin"});
  CHECK(labels({"results/one/result.json", "results/two/result.json"}) == Names{"one", "two"});
  CHECK(labels({"a/r.json", "b/r.json", "c.json"}) == Names{"a/r.json", "b/r.json", "c"});
  CHECK(labels({"./one/../two/result.json", "c\nd.json"}) == Names{"two", "c d"});
}

TEST_CASE("merge: a merged result is a result file, and can be merged again") {
  const report::Result both = report::merge({{"a.json", run(1)}, {"b.json", run(2)}});
  const report::Json json = report::to_json(both);
  const report::Result again = report::result_from_json(report::Json::parse(json.dump()));
  CHECK(report::to_json(again) == json);
  CHECK(again.cells[3].arms[0].run == "b");

  const report::Result three = report::merge({{"both.json", again}, {"c.json", run(3)}});
  REQUIRE(three.runs.size() == 3);
  CHECK(three.runs[1].label == "both/b");
  CHECK(ids(three) == Names{"echo@both/a/message_size=1KiB", "engine@both/a/operation=wrap/message_size=16KiB",
                            "echo@both/b/message_size=1KiB", "engine@both/b/operation=wrap/message_size=16KiB",
                            "echo@c/message_size=1KiB", "engine@c/operation=wrap/message_size=16KiB"});
  CHECK(three.thresholds.size() == 3);
  CHECK(three.thresholds[1].cell == "echo@both/b/message_size=1KiB");
  CHECK(report::to_json(report::result_from_json(report::to_json(three))) == report::to_json(three));
}

TEST_CASE("merge: the terminal report begins with what stands side by side, and shows each run") {
  report::Result first = run(1), second = run(2);
  first.machine["processor"] = "One Processor";
  second.machine["processor"] = "Another Processor";
  const std::string text = report::to_text(report::merge({{"a.json", first}, {"b.json", second}}), {});
  CHECK(text.starts_with("2 runs, a and b, stand side by side."));
  for (const std::string part : {"machines differ: processor.", "Run a", "Run b", "Another Processor", "(run b)"}) {
    INFO(part);
    CHECK(contains(text, part));
  }
}
