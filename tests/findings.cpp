// What every form of the report says in words: verdicts, conclusions, reasons, what the twins show, warnings.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/words.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using report::Status;
using sample::arm_of;
using sample::comparison_of;
using sample::contains;
using sample::result_of;

namespace {

std::string sentence(report::Cell cell, const std::string& arm) {
  return report::verdict_sentence(cell, arm_of(cell, arm));
}

// The echo cell with this verdict for boringssl.
report::Cell judged(const std::string& verdict, double ratio, double low, double high) {
  report::Cell cell = sample::echo_cell();
  report::Comparison& comparison = comparison_of(cell, "boringssl");
  comparison.verdict = verdict;
  comparison.ratio = ratio;
  comparison.low = low;
  comparison.high = high;
  return cell;
}

std::string conclusion_of(const report::Result& result, const std::string& arm) {
  for (const report::Conclusion& conclusion : report::conclusions(result)) {
    if (conclusion.arm == arm) return conclusion.sentence;
  }
  return "";
}

std::string warning_of(const report::Result& result, const std::string& subject) {
  std::string text;
  for (const report::Warning& warning : report::warnings_of(result)) {
    if (warning.subject == subject) text += warning.text + "\n";
  }
  return text;
}

report::Cell with_equivalence(report::Json value, double low, double high) {
  report::Cell cell = sample::echo_cell();
  for (report::Arm& arm : cell.arms) arm.settings = {{"measure", {{"equivalence", value}}}};
  report::Comparison& twin = comparison_of(cell, "openssl#2");
  twin.ratio = 1.0;
  twin.low = low;
  twin.high = high;
  return cell;
}

}  // namespace

TEST_CASE("findings: a verdict's sentence has its interval in the estimate's unit") {
  CHECK(sentence(judged("faster", 1.106, 1.06, 1.142), "boringssl") ==
        "boringssl is faster than openssl by 10.6 % (95 % interval 6.0 % to 14.2 %; limit 2.1 %).");
  CHECK(sentence(judged("slower", 0.9, 0.88, 0.93), "boringssl") ==
        "boringssl is slower than openssl by 10.0 % (95 % interval 7.0 % to 12.0 %; limit 2.1 %).");
  CHECK(sentence(judged("slower", 0.424, 0.404, 0.544), "boringssl") ==
        "boringssl is slower than openssl: 0.424 x (95 % interval 0.404 x to 0.544 x; limit 2.1 %).");
  CHECK(sentence(judged("faster", 1.9, 1.7, 2.1), "boringssl") ==
        "boringssl is faster than openssl: 1.900 x (95 % interval 1.700 x to 2.100 x; limit 2.1 %).");
  CHECK(sentence(judged("equivalent", 1.003, 0.992, 1.011), "boringssl") ==
        "boringssl is equivalent to openssl: +0.3 % (95 % interval -0.8 % to +1.1 %; limit 2.1 %).");
  CHECK(sentence(judged("equivalent", 1.008, 1.002, 1.011), "boringssl") ==
        "boringssl is equivalent to openssl: +0.8 % (95 % interval +0.2 % to +1.1 %; limit 2.1 %).");
}

TEST_CASE("findings: likely is no proof, and inconclusive says what would help") {
  CHECK(sentence(judged("likely faster", 1.03, 1.01, 1.05), "boringssl") ==
        "boringssl is likely faster than openssl by 3.0 % (95 % interval 1.0 % to 5.0 %; limit 2.1 %), which is a hint "
        "and no proof: the interval reaches below the limit of what can be told apart here.");
  report::Cell cell = judged("inconclusive", 1.017, 0.91, 1.288);
  comparison_of(cell, "boringssl").blocks_needed = 40;
  CHECK(sentence(cell, "boringssl") ==
        "boringssl against openssl is inconclusive: +1.7 % (95 % interval -9.0 % to +28.8 %; limit 2.1 %); about 40 "
        "blocks would settle it (-r).");
  comparison_of(cell, "boringssl").blocks_needed = 1001;
  CHECK(sentence(cell, "boringssl")
            .ends_with("; no number of blocks settles it on this machine as it is, but a quieter one or a longer "
                       "measure.block may."));
  comparison_of(cell, "boringssl").limit = 1.329;
  CHECK(contains(sentence(cell, "boringssl"), "; limit 2.329 x)"));
}

TEST_CASE("findings: arms without a verdict") {
  report::Cell cell = sample::echo_cell();
  CHECK(sentence(cell, "openssl") == "openssl is the baseline.");
  CHECK(sentence(cell, "openssl#2") ==
        "openssl#2 is openssl once more (A/A): 1.002 x (95 % interval 0.990 x to 1.014 x); differences below 2.0 % are "
        "not told apart here.");
  CHECK(
      sentence(cell, "plaintcp") ==
      "plaintcp, without TLS and so not ranked, has 2.141 x the throughput of openssl (95 % interval 2.116 x to 2.167 "
      "x).");
  CHECK(sentence(cell, "wolfssl") ==
        "wolfssl has no number, failed: the wire shows TLS_AES_256_GCM_SHA384, the scenario asks for "
        "TLS_AES_128_GCM_SHA256.");
  CHECK_FALSE(contains(sentence(cell, "wolfssl"), "7.113"));

  report::Comparison& few = comparison_of(cell, "boringssl");
  few.verdict = std::nullopt;
  few.low = few.high = std::nullopt;
  few.n = 3;
  CHECK(sentence(cell, "boringssl") ==
        "boringssl has 1.083 x the throughput of openssl (3 blocks; an interval and a verdict need 6).");

  cell.arms[0].status = Status::failed;
  cell.arms[0].reason = "crashed";
  CHECK(sentence(cell, "boringssl") ==
        "boringssl has no ratio, as its baseline openssl has no number, failed: crashed.");
  cell.arms.erase(cell.arms.begin());
  CHECK(sentence(cell, "boringssl") == "boringssl has no baseline to be compared with.");
}

TEST_CASE("findings: settings of plain TCP compared are arms like any others") {
  report::Cell cell = judged("faster", 1.106, 1.06, 1.142);
  cell.arms.pop_back();  // plaintcp, the yardstick
  cell.arms[3].status = Status::ok;
  for (report::Arm& arm : cell.arms) {
    arm.backend = "plaintcp";
    arm.proof.version = "none";
  }
  CHECK(contains(sentence(cell, "boringssl"), "boringssl is faster than openssl by 10.6 %"));
  cell.arms[2].status = Status::failed;
  cell.arms[2].proof = {};  // what failed early has proved nothing; its backend is known from the others
  CHECK(contains(sentence(cell, "boringssl"), "boringssl has no number"));
  CHECK_FALSE(contains(conclusion_of(result_of({cell}), "wolfssl"), "without TLS"));
}

TEST_CASE("findings: what the twin resolves") {
  CHECK_FALSE(report::resolution(report::Cell{}).has_value());
  report::Cell cell = with_equivalence("2.5%", 0.96, 1.02);
  REQUIRE(report::resolution(cell).has_value());
  const report::Resolution found = *report::resolution(cell);
  CHECK(found.cell == &cell);
  CHECK(found.metric == "throughput");
  CHECK(found.limit == doctest::Approx(1 / 0.96 - 1));
  CHECK(found.equivalence == doctest::Approx(0.025));
  CHECK_FALSE(found.resolved());
  CHECK(report::resolution(with_equivalence(0.05, 0.96, 1.02))->resolved());
  CHECK(report::resolution(with_equivalence(nullptr, 0.99, 1.01))->equivalence == doctest::Approx(0.02));

  comparison_of(cell, "openssl#2").low = std::nullopt;
  CHECK_FALSE(report::resolution(cell).has_value());
  cell = sample::echo_cell();
  cell.arms[1].status = Status::failed;
  CHECK_FALSE(report::resolution(cell).has_value());
}

TEST_CASE("findings: the banner of an unresolved A/A") {
  const report::Cell good = with_equivalence("2%", 0.99, 1.01), bad = with_equivalence("2%", 0.9, 1.2),
                     worse = with_equivalence("2%", 0.4, 1.1);
  CHECK(report::resolution_banner(result_of({good})) == "");
  CHECK_FALSE(report::worst_resolution(result_of({})).has_value());
  CHECK(
      report::resolution_banner(result_of({bad})) ==
      "A/A not resolved: by what the baseline's twin shows, the smallest difference told apart there is 20.0 %; 2.0 % "
      "was asked for. More or longer blocks (-r, measure.block) or a quieter machine tell more.");
  const report::Result result = result_of({good, worse, bad});
  CHECK(contains(report::resolution_banner(result), "A/A not resolved in 2 of 3 cells: "));
  CHECK(contains(report::resolution_banner(result), " lies between 20.0 % and 2.500 x by cell; 2.0 % was asked for. "));
  const report::Result mixed = result_of({worse, with_equivalence("1%", 0.9, 1.2)});
  CHECK(contains(report::resolution_banner(mixed), "; between 1.0 % and 2.0 % was asked for. "));
  const report::Result resolved = result_of({good, with_equivalence("5%", 0.98, 1.01)});
  CHECK(report::resolution_sentence(resolved) ==
        "A/A: the baseline's twin stayed within 2.0 % of it in all 2 cells, so the 2.0 % to 5.0 % asked for is "
        "resolved.");
  CHECK(report::worst_resolution(result)->cell == &result.cells[1]);
}

TEST_CASE("findings: one conclusion per arm over all cells") {
  const report::Result two = result_of(
      {judged("faster", 1.1, 1.06, 1.14), judged("faster", 1.2, 1.1, 1.3), judged("equivalent", 1.0, 0.99, 1.01),
       judged("likely faster", 1.03, 1.01, 1.04), judged("inconclusive", 1.03, 0.9, 1.2)});
  CHECK(conclusion_of(two, "boringssl") ==
        "boringssl: faster than openssl in 2 of 5 cells (1.100 x to 1.200 x, 95 % intervals within 1.060 .. 1.300), "
        "likely faster, not proved, in 1 (1.030 x, 95 % interval 1.010 .. 1.040), equivalent in 1 (1.000 x, 95 % "
        "interval 0.990 .. "
        "1.010), inconclusive in 1 (1.030 x, 95 % interval 0.900 .. 1.200).");
  CHECK(conclusion_of(result_of({judged("faster", 1.1, 1.06, 1.14)}), "boringssl") ==
        "boringssl: faster than openssl (1.100 x, 95 % interval 1.060 .. 1.140).");
  CHECK(conclusion_of(result_of({judged("likely slower", 0.96, 0.93, 0.99)}), "boringssl") ==
        "boringssl: likely slower than openssl, not proved (0.960 x, 95 % interval 0.930 .. 0.990).");
  const std::string failed = conclusion_of(two, "wolfssl");
  CHECK(failed ==
        "wolfssl: failed in all 5 cells (the wire shows TLS_AES_256_GCM_SHA384, the scenario asks for "
        "TLS_AES_128_GCM_SHA256).");
  CHECK(contains(conclusion_of(two, "plaintcp"), "plaintcp: 2.141 x openssl's throughput; without TLS, not ranked."));
  report::Result few = two;
  for (report::Cell& cell : few.cells) comparison_of(cell, "boringssl").verdict.reset();
  CHECK(
      conclusion_of(few, "boringssl") ==
      "boringssl: 1.000 x to 1.200 x openssl's throughput (95 % intervals within 0.900 .. 1.300); too few blocks for a "
      "verdict.");
  few = two;
  for (report::Cell& cell : few.cells) comparison_of(cell, "plaintcp").ratio = 19.4;  // an engine's
  CHECK(conclusion_of(few, "plaintcp") == "plaintcp: without TLS, not ranked.");
  CHECK(conclusion_of(two, "openssl") == "");    // the baseline has nothing to say of itself
  CHECK(conclusion_of(two, "openssl#2") == "");  // the twin speaks of the machine
}

TEST_CASE("findings: conclusions stand best first, what has no rank last") {
  report::Cell cell = judged("faster", 1.1, 1.06, 1.14);
  cell.arms[3].status = Status::ok;
  comparison_of(cell, "wolfssl").verdict = "faster";
  std::string order;
  for (const report::Conclusion& conclusion : report::conclusions(result_of({cell}))) order += conclusion.arm + " ";
  CHECK(order == "wolfssl boringssl plaintcp ");
  order.clear();
  for (const report::Conclusion& conclusion : report::conclusions(sample::result()))
    order += conclusion.scenario + ":" + conclusion.arm + " ";
  CHECK(order == "echo:boringssl echo:wolfssl echo:plaintcp engine:wolfssl engine:boringssl engine:plaintcp ");
}

TEST_CASE("findings: conclusions without a baseline, and of several backends' settings") {
  report::Cell bad = judged("faster", 1.1, 1.06, 1.14), good = bad;
  bad.arms[0].status = Status::failed;
  bad.arms[0].reason = "crashed";
  const report::Result result = result_of({bad, good});
  CHECK(conclusion_of(result, "openssl") ==
        "openssl: the baseline, failed in 1 of 2 cells (crashed): no ratios there.");
  CHECK(contains(conclusion_of(result, "boringssl"), "faster than openssl in 1 of 2 cells (1.100 x"));
  CHECK(contains(conclusion_of(result, "boringssl"), ", no ratio, as openssl has none, in 1."));
  CHECK(report::conclusions(result).front().arm == "openssl");

  report::Cell other = good;
  for (report::Arm& arm : good.arms) arm.backend = "openssl";
  for (report::Arm& arm : other.arms) arm.backend = "wolfssl";
  const auto both = report::conclusions(result_of({good, other}));
  CHECK(both.front().sentence.starts_with("boringssl with openssl: faster than openssl (1.100 x"));
}

TEST_CASE("findings: every warning") {
  report::Result result = sample::result();
  CHECK(warning_of(result, "run") == "");
  CHECK(contains(warning_of(result, "wolfssl"), "built without hardware AES"));
  CHECK(contains(warning_of(result, "wolfssl"), "no number in echo/message_size=1KiB, failed: the wire shows"));
  CHECK(contains(warning_of(result, "boringssl"), "unsupported: this build of BoringSSL"));
  CHECK(contains(warning_of(result, "blocks"),
                 "Of 32 arm-blocks (a block gives each arm one): 1 with steal (the hypervisor took over 1 %"));
  CHECK(warning_of(result, "machine") == "");
  CHECK(warning_of(result, "A/A") == "");

  result.complete = false;
  result.quick = result.in_process = true;
  for (const char* part : {"ended before everything", "Quick: ", "--in-process"})
    CHECK(contains(warning_of(result, "run"), part));
  result.machine = {{"processors", 2},
                    {"architecture", "x86_64"},
                    {"processor_flags", {"avx2"}},
                    {"load", "1.31 1.10 1.84 6/110 30130"},
                    {"copy_alias", {{"memcpy_slowdown", 16.3}, {"socket_slowdown", 7.7}, {"affected", true}}}};
  for (const char* part : {"no AES instructions", "load 1.31 on 2 processors", "up to 16 x slower"})
    CHECK(contains(warning_of(result, "machine"), part));
  result.machine["load"] = "0.9 1 1";
  result.machine["processor_flags"] = {"aes"};
  result.machine["copy_alias"]["affected"] = false;
  CHECK(warning_of(result, "machine") == "");

  result.cells = {with_equivalence("2%", 0.9, 1.2)};
  CHECK(contains(warning_of(result, "A/A"), "not resolved: by what the baseline's twin shows"));
  for (const report::Warning& warning : report::warnings_of(result))
    CHECK(warning.about_all == (warning.subject == "run" || warning.subject == "A/A"));
  result.cells[0].comparisons.erase(result.cells[0].comparisons.begin());
  CHECK(contains(warning_of(result, "A/A"), "no twin of the baseline in 1 of 1 cell"));
}

TEST_CASE("findings: flagged blocks, each counted once") {
  report::Cell cell = sample::echo_cell();
  report::Arm& arm = cell.arms[0];
  CHECK(report::flags_sentence(report::flag_counts({&arm}), "block", "blocks") ==
        "1 of 8 blocks flagged: 1 with steal");
  arm.blocks[3].flags = {"late", "outlier"};
  arm.blocks[4].flags = {"late", "outlier", "switches"};
  CHECK(report::flags_sentence(report::flag_counts({&arm}), "block", "blocks") ==
        "2 of 8 blocks flagged: 2 late, 2 outliers, 1 with switches");
  CHECK(report::flags_sentence(report::flag_counts({&cell.arms[1]}), "block", "blocks") == "");
}

TEST_CASE("findings: a warning about arms that ended alike names no cell twice") {
  const report::Result result = result_of({sample::echo_cell(), sample::echo_cell(), sample::echo_cell()});
  CHECK(contains(warning_of(result, "wolfssl"), "no number in 3 cells, failed: the wire shows"));
}

TEST_CASE("findings: nothing to say of an empty result") {
  report::Result result;
  result.complete = true;
  CHECK(report::conclusions(result).empty());
  CHECK(report::warnings_of(result).empty());
  CHECK(report::resolution_banner(result) == "");
}

TEST_CASE("words: one wording for one thing") {
  CHECK(report::limit_words(0.038) == "3.8 %");
  CHECK(report::limit_words(1.329) == "2.329 x");
  CHECK(report::difference_words(0.9) == "-10.0 %");
  CHECK(report::difference_words(2.5) == "2.500 x");
  CHECK(report::metric_words("cpu_client") == "CPU per operation, client");
  CHECK(report::metric_words("service_time_p999") == "service time p99.9");
  CHECK(report::mark_of("faster") == "▲");
  CHECK(report::mark_of("likely slower") == "▽");
  CHECK(report::mark_of("inconclusive") == "?");
  report::BackendRecord record;
  record.name = "openssl";
  CHECK(report::name_of(record) == "openssl");
  record.variant = "ossl35";
  CHECK(report::name_of(record) == "ossl35");
}

TEST_CASE("ranking: by the paired ratio, which the medians may belie") {
  report::Cell cell = judged("slower", 0.9, 0.88, 0.93);  // boringssl's median is above openssl's
  const auto order = [&] {
    std::string ids;
    for (const report::Arm* arm : report::rank(cell).ranked) ids += arm->id + " ";
    return ids;
  };
  CHECK(order() == "openssl openssl#2 boringssl ");
  comparison_of(cell, "boringssl").ratio = std::nullopt;
  CHECK(order() == "boringssl openssl openssl#2 ");
  cell.arms[0].status = Status::failed;
  CHECK(order() == "boringssl openssl#2 ");
  cell = judged("slower", 1.1, 1.08, 1.12);
  for (report::Arm& arm : cell.arms) arm.metrics[0].better = "lower";
  CHECK(order() == "openssl openssl#2 boringssl ");
}
