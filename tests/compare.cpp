// One run against another: what is found, what is not, and what is refused. The runs are simulated, so the truth is
// known.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <tlsrig/judge/compare_results.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/terminal/comparison_text.hpp>

#include "compare_support.hpp"

using namespace simulated;
using judge::CompareOptions;
using report::Change;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

report::RunComparison compare(const report::Result& before, const report::Result& after,
                              const CompareOptions& options = {}) {
  return judge::compare_results(before, "old.json", after, "new.json", options);
}

std::string refusal(const report::Result& before, const report::Result& after, const CompareOptions& options = {}) {
  try {
    compare(before, after, options);
  } catch (const judge::NotComparable& refused) {
    return refused.what();
  }
  return {};
}

const report::ArmChange& arm(const report::RunComparison& comparison, const std::string& id, std::size_t cell = 0) {
  for (const auto& one : comparison.cells.at(cell).arms)
    if (one.id == id) return one;
  throw std::runtime_error("no arm " + id);
}

const report::MetricChange& metric(const report::ArmChange& arm, const std::string& name) {
  for (const auto& one : arm.metrics)
    if (one.name == name) return one;
  throw std::runtime_error("no metric " + name);
}

bool warned(const report::RunComparison& comparison, const std::string& part) {
  return std::any_of(comparison.warnings.begin(), comparison.warnings.end(),
                     [&](const auto& warning) { return contains(warning, part); });
}

Run slower(double factor) {
  Run run;
  run.rates["wolfssl"] *= factor;
  return run;
}

}  // namespace

TEST_CASE("compare: a machine of another speed is no difference") {
  Run other;
  other.machine = 0.7;
  other.noise = 0.003;
  Run run;
  run.noise = 0.003;
  const auto comparison = compare(result_of(run, 1), result_of(other, 2));
  REQUIRE(comparison.cells.size() == 1);
  CHECK(comparison.cells[0].reference == "plaintcp");
  CHECK(comparison.cells[0].arms.size() == 3);  // the twin is not compared
  const auto& throughput = metric(arm(comparison, "wolfssl"), "throughput");
  CHECK(throughput.change == Change::unchanged);
  CHECK(throughput.new_value.value() < 0.8 * throughput.old_value.value());
  CHECK(throughput.old_ratio.value() == doctest::Approx(40.0 / 150).epsilon(0.02));
  CHECK(throughput.ratio.value() == doctest::Approx(1).epsilon(0.02));
  CHECK(throughput.low.value() <= throughput.ratio.value());
  CHECK(throughput.ratio.value() <= throughput.high.value());
  const auto counts = report::count_changes(comparison);
  CHECK(counts.worse == 0);
  CHECK(counts.lost == 0);
  CHECK(counts.judged == 6);  // two arms, three metrics
  const auto& reference = arm(comparison, "plaintcp");
  CHECK(reference.reference);
  CHECK_FALSE(metric(reference, "throughput").ratio);
  CHECK(metric(reference, "throughput").new_value);
}

TEST_CASE("compare: a slow-down is worse in throughput and in CPU per operation, and a speed-up better in both") {
  const auto down = compare(result_of(Run{}, 1), result_of(slower(0.85), 2));
  for (const char* name : {"throughput", "cpu_client", "cpu_server"}) {
    CAPTURE(name);
    CHECK(metric(arm(down, "wolfssl"), name).change == Change::worse);
    CHECK(metric(arm(down, "openssl"), name).change != Change::worse);
  }
  CHECK(metric(arm(down, "wolfssl"), "throughput").ratio.value() == doctest::Approx(0.85).epsilon(0.02));
  CHECK(metric(arm(down, "wolfssl"), "cpu_server").ratio.value() == doctest::Approx(1 / 0.85).epsilon(0.02));
  CHECK(report::count_changes(down).worse == 3);
  const auto up = compare(result_of(slower(0.85), 1), result_of(Run{}, 2));
  CHECK(metric(arm(up, "wolfssl"), "throughput").change == Change::better);
  CHECK(metric(arm(up, "wolfssl"), "cpu_client").change == Change::better);
  CHECK(report::count_changes(up).worse == 0);
}

TEST_CASE("compare: a reference that changed itself is warned of, one arm that did is not") {
  Run reference;
  reference.noise = 0.003;
  Run before = reference;
  reference.rates["plaintcp"] *= 0.8;
  CHECK(warned(compare(result_of(before, 1), result_of(reference, 2)), "plaintcp itself may have changed"));
  Run one = before;
  one.rates["wolfssl"] *= 0.8;
  CHECK_FALSE(warned(compare(result_of(before, 1), result_of(one, 2)), "itself may have changed"));
}

TEST_CASE("compare: the threshold decides what is worse, and what is not ruled out") {
  const auto before = result_of(Run{}, 1), after = result_of(slower(0.85), 2);
  const auto wide = compare(before, after, {"", 0.30, false, false});
  CHECK(metric(arm(wide, "wolfssl"), "throughput").change == Change::unchanged);
  CHECK(metric(arm(wide, "wolfssl"), "throughput").rules_out_worse);
  const auto near = compare(before, after, {"", 0.175, false, false});  // 1 / 0.85 = 1.176
  CHECK(metric(arm(near, "wolfssl"), "throughput").change == Change::likely_worse);
  CHECK_FALSE(metric(arm(near, "wolfssl"), "throughput").rules_out_worse);
  CHECK(report::count_changes(near).not_ruled_out > 0);
  CHECK(metric(arm(compare(before, after, {"", 0, false, false}), "wolfssl"), "throughput").change == Change::worse);
}

TEST_CASE("compare: percentiles count where every block has samples enough") {
  Run with, slow = slower(0.8);
  with.durations = slow.durations = true;
  auto before = result_of(with, 1), after = result_of(slow, 2);
  const auto comparison = compare(before, after);
  CHECK(metric(arm(comparison, "wolfssl"), "service_time_p50").change == Change::worse);
  CHECK(metric(arm(comparison, "wolfssl"), "service_time_p99").change == Change::worse);
  const auto& p999 = metric(arm(comparison, "wolfssl"), "service_time_p999");  // of all blocks, and of none alone
  CHECK(p999.new_value);
  CHECK_FALSE(p999.ratio);
  CHECK(contains(p999.reason, "in OLD a block of it or of plaintcp has none, or too few samples"));
}

TEST_CASE("compare: an arm that failed has no ratio; one that had numbers is lost") {
  auto before = result_of(Run{}, 1), after = result_of(Run{}, 2);
  end_arm(after, "wolfssl", report::Status::failed, "server: crashed (SIGSEGV) in read");
  const auto lost = compare(before, after);
  CHECK(arm(lost, "wolfssl").lost());
  CHECK(arm(lost, "wolfssl").metrics.empty());
  CHECK(contains(arm(lost, "wolfssl").reason, "SIGSEGV"));
  CHECK(report::count_changes(lost).lost == 1);
  CHECK(contains(report::to_text(lost, {}), "LOST: wolfssl of small/message_size=1KiB had numbers in OLD"));

  const auto found = compare(after, before);
  CHECK_FALSE(arm(found, "wolfssl").lost());
  CHECK(arm(found, "wolfssl").metrics.empty());
  CHECK(contains(arm(found, "wolfssl").reason, "in OLD failed"));
  CHECK(report::count_changes(found).lost == 0);
  CHECK(report::count_changes(found).not_judged == 1);

  end_arm(before, "wolfssl", report::Status::unsupported, "no x25519");
  CHECK(arm(compare(before, after), "wolfssl").reason ==
        "in OLD unsupported: no x25519; in NEW failed: server: crashed (SIGSEGV) in read");
}

TEST_CASE("compare: without its reference a cell has values, the reason, and no ratio") {
  auto before = result_of(Run{}, 1), after = result_of(Run{}, 2);
  end_arm(after, "plaintcp", report::Status::failed, "the client was killed");
  const auto comparison = compare(before, after);
  CHECK(arm(comparison, "plaintcp").lost());
  CHECK(arm(comparison, "wolfssl").reason == "no ratio: the reference plaintcp in NEW failed: the client was killed");
  CHECK_FALSE(metric(arm(comparison, "wolfssl"), "throughput").ratio);
  CHECK(metric(arm(comparison, "wolfssl"), "throughput").new_value);
  CHECK(report::count_changes(comparison).judged == 0);
  CHECK(contains(report::to_text(comparison, {}), "NOTHING JUDGED"));

  const auto other = compare(before, after, {"openssl", 0.05, false, false});  // a reference that is well
  CHECK(metric(arm(other, "wolfssl"), "throughput").ratio);
  CHECK(report::count_changes(other).lost == 1);
}

TEST_CASE("compare: the reference is plaintcp, of engines and where that is missing the baseline, or what is asked") {
  Run engine;
  engine.workload = "engine";
  CHECK(compare(result_of(engine, 1), result_of(engine, 2)).cells[0].reference == "openssl");
  Run without;
  without.rates.erase("plaintcp");
  const auto comparison = compare(result_of(without, 1), result_of(without, 2));
  CHECK(comparison.cells[0].reference == "openssl");
  CHECK(contains(comparison.cells[0].note, "plaintcp is no arm of either run"));
  CHECK(metric(arm(comparison, "wolfssl"), "throughput").ratio);

  const auto asked = compare(result_of(Run{}, 1), result_of(Run{}, 2), {"wolfssl", 0.05, false, false});
  CHECK(asked.cells[0].reference == "wolfssl");
  CHECK(metric(arm(asked, "plaintcp"), "throughput").ratio);
  CHECK_FALSE(metric(arm(asked, "plaintcp"), "throughput").change);  // no choice among TLS libraries: not judged
  CHECK(report::count_changes(asked).judged == 3);
  const auto absent = compare(result_of(without, 1), result_of(without, 2), {"gnutls", 0.05, false, false});
  CHECK(absent.cells[0].reference.empty());
  CHECK(absent.cells[0].note == "no ratio: the reference gnutls is no arm of either run");
  CHECK(arm(absent, "wolfssl").reason == absent.cells[0].note);
  CHECK_FALSE(metric(arm(absent, "wolfssl"), "throughput").ratio);
}

TEST_CASE("compare: another machine is refused with the field and both values, unless told") {
  const auto before = result_of(Run{}, 1);
  for (const auto& [field, value] :
       std::map<std::string, report::Json>{{"processor", "Other 8"},
                                           {"processors", 4},
                                           {"architecture", "aarch64"},
                                           {"processor_flags", report::Json::array({"avx2"})}}) {
    auto after = result_of(Run{}, 2);
    after.machine[field] = value;
    const std::string words = refusal(before, after);
    CAPTURE(words);
    CHECK(contains(words, field + ": " + before.machine[field].dump() + " in OLD, " + value.dump() + " in NEW"));
    CHECK(contains(words, "--allow-other-machine"));
    const auto told = compare(before, after, {"", 0.05, true, false});
    CHECK(warned(told, "Another machine: " + field));
    CHECK(report::count_changes(told).judged == 6);
  }
  auto after = result_of(Run{}, 2);
  after.machine["kernel"] = "Linux 6.2.0";
  CHECK(warned(compare(before, after), "kernel: \"Linux 6.1.0\" in OLD, \"Linux 6.2.0\" in NEW"));
  after.machine.erase("processors");
  CHECK(contains(refusal(before, after), "processors: 2 in OLD, (not told) in NEW"));
}

TEST_CASE("compare: another scenario is refused with what differs; told, it compares what both have") {
  Run two;
  two.cells = {"small/message_size=1KiB", "small/message_size=16KiB"};
  const auto one = result_of(Run{}, 1), more = result_of(two, 2);
  CHECK(contains(refusal(one, more), "the cell small/message_size=16KiB is in NEW alone"));
  CHECK(contains(refusal(more, one), "the cell small/message_size=16KiB is in OLD alone"));
  CHECK(contains(refusal(more, one), "--allow-other-scenario"));
  const auto told = compare(more, one, {"", 0.05, false, true});
  CHECK(told.cells.size() == 1);
  CHECK(told.left_out == std::vector<std::string>{"the cell small/message_size=16KiB is in OLD alone"});
  CHECK(contains(report::to_text(told, {}), "left out: the cell small/message_size=16KiB is in OLD alone"));

  Run with = Run{};
  with.rates["boringssl"] = 100'000;
  const auto arms = result_of(with, 3);
  CHECK(contains(refusal(one, arms), "the arm boringssl of small/message_size=1KiB is in NEW alone"));
  CHECK(compare(one, arms, {"", 0.05, false, true}).cells[0].arms.size() == 3);

  auto other = result_of(Run{}, 2);
  for (auto& arm : other.cells[0].arms) arm.settings["traffic"]["connections"] = 32;
  const std::string words = refusal(one, other);
  CAPTURE(words);
  CHECK(contains(words, "traffic.connections: 16 in OLD, 32 in NEW"));
  CHECK(words.find("traffic.connections") == words.rfind("traffic.connections"));  // once, not for every arm
  CHECK(warned(compare(one, other, {"", 0.05, false, true}), "traffic.connections: 16 in OLD"));

  Run elsewhere;
  elsewhere.cells = {"large/message_size=1KiB"};
  CHECK(contains(refusal(one, result_of(elsewhere, 2), {"", 0.05, true, true}), "no cell in common"));
}

TEST_CASE("compare: another baseline, seed and number of blocks are no other scenario; other lengths are told") {
  Run more;
  more.blocks = 12;
  more.baseline = "wolfssl";
  more.rates.erase("openssl#2");
  auto after = result_of(more, 2);
  after.seed = 99;
  for (auto& arm : after.cells[0].arms) arm.settings["measure"]["blocks"] = {{"min", 12}, {"max", 12}};
  const auto comparison = compare(result_of(Run{}, 1), after);
  CHECK(report::count_changes(comparison).judged == 6);
  CHECK(comparison.cells[0].old_blocks == 8);
  CHECK(comparison.cells[0].new_blocks == 12);
  for (auto& arm : after.cells[0].arms) arm.settings["measure"]["block"] = "200ms";
  CHECK(warned(compare(result_of(Run{}, 1), after), "measure.block: \"1s\" in OLD, \"200ms\" in NEW"));
}

TEST_CASE("compare: too few blocks give a ratio without interval, and nothing is judged") {
  Run few;
  few.blocks = 5;
  const auto comparison = compare(result_of(Run{}, 1), result_of(few, 2));
  const auto& throughput = metric(arm(comparison, "wolfssl"), "throughput");
  CHECK(throughput.ratio);
  CHECK_FALSE(throughput.low);
  CHECK_FALSE(throughput.change);
  CHECK(throughput.reason == "8 blocks and 5: an interval needs 6 in each run");
  CHECK(report::count_changes(comparison).judged == 0);
}

TEST_CASE("compare: what a run cannot be asked is refused or said") {
  const auto good = result_of(Run{}, 1);
  auto odd = result_of(Run{}, 2);
  odd.in_process = true;
  CHECK(contains(refusal(good, odd), "new.json: was measured with --in-process"));
  odd = result_of(Run{}, 2);
  odd.runs.resize(2);
  CHECK(contains(refusal(odd, good), "old.json: holds 2 runs"));
  odd = result_of(Run{}, 2);
  odd.complete = false;
  odd.quick = true;
  CHECK(warned(compare(good, odd), "NEW is incomplete"));
  CHECK(warned(compare(good, odd), "NEW was a quick run"));
  Run noisy;
  noisy.noise = 0.2;
  CHECK(warned(compare(good, result_of(noisy, 2)), "NEW: A/A"));
  CHECK(warned(compare(result_of(noisy, 2), good), "OLD: A/A"));
}

TEST_CASE("compare: the text and the Markdown say what was found, and how to compare better") {
  auto before = result_of(Run{}, 1), after = result_of(slower(0.85), 2);
  const auto comparison = compare(before, after);
  const std::string text = report::to_text(comparison, {}), markdown = report::to_markdown(comparison);
  for (const std::string& form : {text, markdown}) {
    CHECK(contains(form, "WORSE: 3 of 6 ratios lie wholly beyond 5.0 % on the worse side."));
    CHECK(contains(form, "--variant NAME=PLUGIN:DIR"));
    CHECK(contains(form, "not comparable"));
  }
  CHECK(contains(text, "wolfssl throughput"));
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    CHECK(line.size() <= 120);
    CHECK_FALSE(line.ends_with(' '));
  }
  CHECK(contains(markdown, "| **worse** |"));
  CHECK(contains(markdown, "<details>"));
}

TEST_CASE("compare: names from results cannot break out of the Markdown") {
  auto before = result_of(Run{}, 1), after = result_of(Run{}, 2);
  const std::string name = "x|y<script>alert(1)</script> [a](b)`@all";
  for (auto* result : {&before, &after}) result->cells[0].id = name;
  end_arm(after, "wolfssl", report::Status::failed, "bad\n| <b>news</b> |\xff");
  const std::string markdown = report::to_markdown(judge::compare_results(before, name, after, name, {}));
  CHECK_FALSE(contains(markdown, "y<script"));
  CHECK_FALSE(contains(markdown, " <b>"));
  CHECK_FALSE(contains(markdown, "x|y"));
  CHECK_FALSE(contains(markdown, "@all"));
  CHECK_FALSE(contains(markdown, " [a](b)"));
  CHECK_FALSE(contains(markdown, "\xff"));
}

// Two arms and three metrics are judged in each pair of runs. Standard error of a share of 1 % of 6,000: 0.13 %; of
// 95 %: 0.3 %; of the 1,000 slow-downs a share of 95 %: 0.7 %.
TEST_CASE("compare: equal runs on a drifting machine are seldom worse, and a true slow-down is found") {
  std::mt19937_64 random(17);
  Run day, other_day, slow = slower(0.88);
  day.noise = other_day.noise = slow.noise = 0.015;
  other_day.machine = slow.machine = 0.8;
  other_day.blocks = slow.blocks = 12;
  day.drift = other_day.drift = slow.drift = 0.05;
  for (Run* run : {&day, &other_day, &slow}) run->rates.erase("openssl#2");
  int judged = 0, excluded = 0, worse_of_equal = 0, found = 0, openssl_worse = 0;
  constexpr int pairs = 1'000;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto before = result_of(day, random);
    const auto equal = compare(before, result_of(other_day, random));
    for (const char* id : {"openssl", "wolfssl"})
      for (const auto& one : arm(equal, id).metrics) {
        ++judged;
        worse_of_equal += one.change == Change::worse || one.change == Change::better ? 1 : 0;
        excluded += one.low.value() > 1 || one.high.value() < 1 ? 1 : 0;
      }
    const auto slowed = compare(before, result_of(slow, random));
    found += metric(arm(slowed, "wolfssl"), "throughput").change == Change::worse ? 1 : 0;
    openssl_worse += metric(arm(slowed, "openssl"), "throughput").change == Change::worse ? 1 : 0;
  }
  MESSAGE("equal: 1 excluded in ", excluded / double(judged), ", beyond 5 % in ", worse_of_equal / double(judged),
          "; 12 % slower: found in ", found / double(pairs));
  CHECK(judged == 6'000);
  CHECK(excluded <= 0.07 * judged);
  CHECK(excluded >= 0.02 * judged);
  CHECK(worse_of_equal <= 0.001 * judged);
  CHECK(found >= 0.95 * pairs);
  CHECK(openssl_worse <= 0.001 * pairs);
}
