// Thresholds against results, and the intervals of percentiles that they need.
#include <doctest/doctest.h>

#include <algorithm>

#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/judge/thresholds.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/thresholds_text.hpp>

using namespace tlsrig;
using scenario::ThresholdKind;

namespace {

scenario::ThresholdPlan plan_of(ThresholdKind kind, const std::string& metric, bool is_floor, double bound,
                                bool or_equal = false) {
  return {kind, metric, "as written", {is_floor, or_equal, bound}, {{"s", "boringssl", "boringssl"}}};
}

report::Result result_of(report::Status arm = report::Status::ok, report::Status baseline = report::Status::ok) {
  report::Result result;
  report::Cell cell;
  cell.id = cell.scenario = "s";
  cell.baseline = "openssl";
  for (const char* id : {"openssl", "boringssl"}) {
    report::Arm one;
    one.id = one.backend = id;
    one.status = one.id == "openssl" ? baseline : arm;
    one.blocks.resize(8);
    one.metrics.push_back({"throughput", "operations/s", "higher", 100.0, 90.0, 110.0, 8});
    one.metrics.push_back({"service_time_p99", "s", "lower", 0.001, std::nullopt, std::nullopt, 5000});
    cell.arms.push_back(one);
  }
  report::Comparison comparison;
  comparison.arm = "boringssl";
  comparison.baseline = "openssl";
  comparison.metric = "throughput";
  comparison.ratio = 1.0;
  comparison.low = 0.9;
  comparison.high = 1.1;
  cell.comparisons.push_back(comparison);
  result.cells.push_back(cell);
  return result;
}

report::Threshold judged(const scenario::ThresholdPlan& threshold, const report::Result& result = result_of()) {
  scenario::ScenarioPlan plan;
  plan.thresholds.push_back(threshold);
  const auto all = judge::judge_thresholds({plan}, result);
  REQUIRE(all.size() == 1);
  return all.front();
}

std::string reason(const scenario::ThresholdPlan& threshold, const report::Result& result = result_of()) {
  const auto one = judged(threshold, result);
  CHECK_FALSE(one.held);
  CHECK_FALSE(one.value);
  return one.reason.value_or("");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A block whose durations are 1 .. count microseconds, times a factor.
report::Block block_of(std::uint64_t count, std::int64_t factor_ns) {
  report::Block block;
  block.seconds = 1;
  block.operations = count;
  block.histogram = report::Json::array();
  for (std::uint64_t i = 1; i <= count; ++i) block.histogram.push_back({static_cast<std::int64_t>(i) * factor_ns, 1});
  return block;
}

report::Arm timed(const std::string& id, std::uint64_t count, const std::vector<std::int64_t>& factors) {
  report::Arm arm;
  arm.id = arm.backend = id;
  arm.status = report::Status::ok;
  arm.proof.version = "1.3";
  for (const auto factor : factors) arm.blocks.push_back(block_of(count, factor));
  arm.metrics = judge::metrics_of(arm, {});
  return arm;
}

}  // namespace

TEST_CASE("the unfavourable end is held against the bound") {
  const auto floor = [](double bound, bool or_equal = false) {
    return judged(plan_of(ThresholdKind::ratio, "throughput", true, bound, or_equal));
  };
  CHECK(floor(0.89).held == true);
  CHECK(floor(0.89).value == 0.9);
  CHECK(floor(0.9).held == false);
  CHECK(floor(0.9, true).held == true);
  CHECK(floor(0.95).held == false);  // the ratio itself is 1
  const auto ceiling = judged(plan_of(ThresholdKind::ratio, "throughput", false, 1.05));
  CHECK(ceiling.held == false);
  CHECK(ceiling.value == 1.1);
  const auto rate = judged(plan_of(ThresholdKind::rate, "throughput", true, 89));
  CHECK(rate.held == true);
  CHECK(rate.value == 90);
  CHECK(rate.kind == "rate");
  CHECK(rate.cell == "s");
  CHECK(rate.backend == "boringssl");
  CHECK_FALSE(rate.reason);
}

TEST_CASE("without an interval there is no judgement, and the reason is told") {
  using report::Status;
  const auto ratio = plan_of(ThresholdKind::ratio, "throughput", true, 0.5);
  CHECK(contains(reason(ratio, result_of(Status::failed)), "boringssl is failed"));
  CHECK(contains(reason(ratio, result_of(Status::unsupported)), "boringssl is unsupported"));
  CHECK(contains(reason(ratio, result_of(Status::incomplete)), "boringssl is incomplete"));
  CHECK(contains(reason(ratio, result_of(Status::ok, Status::failed)), "the baseline openssl is failed"));
  CHECK(judged(plan_of(ThresholdKind::rate, "throughput", true, 1), result_of(Status::ok, Status::failed)).held ==
        true);
  CHECK(contains(reason(plan_of(ThresholdKind::percentile, "service_time_p99", false, 1)), "too few samples"));
  CHECK(contains(reason(plan_of(ThresholdKind::percentile, "service_time_p50", false, 1)), "no such metric"));
  auto few = result_of();
  few.cells[0].arms[1].blocks.resize(3);
  few.cells[0].comparisons[0].low.reset();
  CHECK(contains(reason(ratio, few), "3 blocks give no interval; 6 are needed"));
  CHECK(contains(reason(ratio, report::Result{}), "the run ended before this cell"));
}

TEST_CASE("a percentile has an interval when every block has the samples for its own") {
  const auto arm = timed("a", 2000, {1000, 1010, 990, 1000, 1005, 995, 1000, 1000});
  const auto* p99 = report::find_metric(arm, "service_time_p99");
  REQUIRE(p99 != nullptr);
  REQUIRE(p99->low);
  CHECK(*p99->low <= *p99->value);
  CHECK(*p99->high >= *p99->value);
  CHECK(*p99->low == doctest::Approx(0.00198).epsilon(0.03));
  CHECK(p99->n == 16000);
  const auto* p999 = report::find_metric(arm, "service_time_p999");
  CHECK(p999->value);      // 16,000 samples in all
  CHECK_FALSE(p999->low);  // but 2,000 in a block
  CHECK(judge::block_values(arm, "service_time_p999", {}).empty());
  CHECK(judge::block_values(arm, "service_time_p99", {}).size() == 8);
  const auto few = timed("b", 2000, {1000, 1000, 1000});
  CHECK_FALSE(report::find_metric(few, "service_time_p99")->low);
}

TEST_CASE("one disturbed block widens a percentile's interval to hold the value of all durations") {
  const auto arm = timed("a", 2000, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 100'000});
  const auto* p99 = report::find_metric(arm, "service_time_p99");
  CHECK(*p99->value > 0.1);  // an eighth of all durations is in the slow block
  CHECK(*p99->high >= *p99->value);
  CHECK(*p99->low < 0.003);
}

TEST_CASE("percentiles are compared block by block") {
  report::Cell cell;
  cell.id = "s";
  cell.baseline = "openssl";
  cell.arms = {timed("openssl", 2000, {1000, 1100, 900, 1000, 1200, 800, 1000, 1050}),
               timed("boringssl", 2000, {2000, 2200, 1800, 2000, 2400, 1600, 2000, 2100})};
  judge::compare_arms(cell, {});
  const auto found = std::find_if(cell.comparisons.begin(), cell.comparisons.end(),
                                  [](const auto& one) { return one.metric == "service_time_p99"; });
  REQUIRE(found != cell.comparisons.end());
  CHECK(*found->ratio == doctest::Approx(2).epsilon(0.02));
  CHECK(*found->low == doctest::Approx(2).epsilon(0.02));
  CHECK(found->verdict == "slower");
  CHECK(std::none_of(cell.comparisons.begin(), cell.comparisons.end(),
                     [](const auto& one) { return one.metric == "service_time_p999"; }));
}

TEST_CASE("thresholds in words, with units by their kind") {
  auto one = judged(plan_of(ThresholdKind::ratio, "throughput", true, 0.95));
  CHECK(report::threshold_sentence(one) == "s: boringssl: ratio of throughput: as written is not held: 0.900");
  report::Result result;
  CHECK(report::thresholds_text(result, {}).empty());
  result.thresholds = {one};
  one.kind = "percentile";
  one.value = 0.0018;
  one.held = true;
  CHECK(report::threshold_value(one) == "1.800 ms");
  result.thresholds.push_back(one);
  one.kind = "bytes";
  one.value = 512.0 * (1 << 20);
  CHECK(report::threshold_value(one) == "512 MiB/s");
  one.kind = "rate";
  one.value = 49800;
  CHECK(report::threshold_value(one) == "49.80 kop/s");
  one.value.reset();
  one.held.reset();
  one.reason = "why\nnot";
  result.thresholds.push_back(one);
  const std::string text = report::thresholds_text(result, {});
  CHECK(contains(text, "\nThresholds: 1 held, 1 not held, 1 not judged\n"));
  CHECK(contains(text, "  ! s: boringssl: ratio of throughput"));
  CHECK(contains(text, "  ? s: boringssl: throughput: as written is not judged: why not\n"));
  CHECK(text.find("  ! ") < text.find("  ? "));
  for (int i = 0; i < 20; ++i) result.thresholds.push_back(result.thresholds[1]);
  CHECK_FALSE(contains(report::thresholds_text(result, {}), "  = "));
  CHECK(contains(report::thresholds_text(result, {false, true, 120}), "  = "));
}
