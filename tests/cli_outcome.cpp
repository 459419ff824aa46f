// Exit statuses from results.
#include <doctest/doctest.h>

#include <tlsrig/cli/outcome.hpp>

using namespace tlsrig;
using report::Status;

namespace {

report::Arm arm_of(const std::string& id, Status status = Status::ok) {
  report::Arm arm;
  arm.id = arm.backend = id;
  arm.status = status;
  arm.proof.version = id == "plaintcp" ? "none" : "1.3";
  if (status != Status::ok) arm.reason = "of the test's own";
  arm.metrics.push_back({"throughput", "operations/s", "higher", 100, 99, 101, 8});
  return arm;
}

report::Comparison comparison_of(const std::string& arm, std::optional<std::string> verdict, double low, double high) {
  report::Comparison comparison;
  comparison.arm = arm;
  comparison.baseline = "openssl";
  comparison.metric = "throughput";
  comparison.ratio = (low + high) / 2;
  comparison.low = low;
  comparison.high = high;
  comparison.n = 8;
  comparison.limit = 0.02;
  comparison.verdict = std::move(verdict);
  return comparison;
}

// openssl, its twin, boringssl and plaintcp in one cell: all good.
report::Result good() {
  report::Result result;
  result.complete = true;
  report::Json effective;
  effective["measure"]["equivalence"] = "2%";
  result.scenarios.push_back({"s", "s.toml", effective});
  report::Cell cell;
  cell.id = "s";
  cell.scenario = "s";
  cell.baseline = "openssl";
  cell.arms = {arm_of("openssl"), arm_of("boringssl"), arm_of("plaintcp"), arm_of("openssl#2")};
  cell.arms.back().twin = true;
  cell.arms.back().backend = "openssl";
  for (auto& arm : cell.arms) arm.settings = effective;
  cell.comparisons = {comparison_of("boringssl", "faster", 1.05, 1.1), comparison_of("plaintcp", {}, 1.5, 1.6),
                      comparison_of("openssl#2", {}, 0.99, 1.01)};
  result.cells.push_back(cell);
  return result;
}

report::Threshold threshold(std::optional<bool> held) {
  report::Threshold one;
  one.expr = "low > 0.95";
  one.metric = "throughput";
  one.cell = "s";
  one.arm = one.backend = "boringssl";
  one.held = held;
  if (held)
    one.value = *held ? 1.05 : 0.912;
  else
    one.reason = "3 blocks give no interval";
  return one;
}

int status(const report::Result& result, bool strict = false, bool lost = false) {
  return cli::outcome_of(result, lost, strict).status;
}

}  // namespace

TEST_CASE("what is all right is 0, strict or not, and says nothing") {
  CHECK(status(good()) == 0);
  const auto strict = cli::outcome_of(good(), false, true);
  CHECK(strict.status == 0);
  CHECK(strict.why.empty());
}

TEST_CASE("failed, incomplete and lost are 3, before all others but a signal") {
  for (const Status bad : {Status::failed, Status::incomplete}) {
    auto result = good();
    result.cells[0].arms[1] = arm_of("boringssl", bad);
    result.thresholds = {threshold(false)};
    const auto outcome = cli::outcome_of(result, false, true);
    CHECK(outcome.status == 3);
    REQUIRE(outcome.why.size() == 2);
    CHECK(outcome.why[0].find("of the test's own") != std::string::npos);
    CHECK(outcome.why[1].find("is not held") != std::string::npos);
  }
  CHECK(status(good(), false, true) == 3);
}

TEST_CASE("77 is for every arm, not for one") {
  auto result = good();
  result.cells[0].arms[1] = arm_of("boringssl", Status::unsupported);
  CHECK(status(result) == 0);
  for (auto& arm : result.cells[0].arms) arm = arm_of(arm.id, Status::unsupported);
  result.cells[0].comparisons.clear();
  result.thresholds = {threshold(std::nullopt)};
  CHECK(status(result, true) == 77);
}

TEST_CASE("a threshold that is not held is 1, before 4") {
  auto result = good();
  result.thresholds = {threshold(true)};
  CHECK(status(result, true) == 0);
  result.thresholds = {threshold(true), threshold(false), threshold(std::nullopt)};
  const auto outcome = cli::outcome_of(result, false, true);
  CHECK(outcome.status == 1);
  REQUIRE(outcome.why.size() == 2);
  CHECK(outcome.why[0] == "s: boringssl: ratio of throughput: low > 0.95 is not held: 0.912");
  CHECK(outcome.why[1].find("is not judged: 3 blocks give no interval") != std::string::npos);
}

TEST_CASE("4 is strict's alone: inconclusive, no verdict, A/A not resolved, not judged") {
  const auto undecided = [](const report::Result& result, const std::string& words) {
    CHECK(status(result) == 0);
    CHECK(cli::outcome_of(result, false, false).why.size() == result.thresholds.size());  // not judged is always said
    const auto outcome = cli::outcome_of(result, false, true);
    CHECK(outcome.status == 4);
    REQUIRE(outcome.why.size() == 1);
    CAPTURE(outcome.why[0]);
    CHECK(outcome.why[0].find(words) != std::string::npos);
  };
  auto result = good();
  result.cells[0].comparisons[0].verdict = "inconclusive";
  undecided(result, "boringssl against openssl is inconclusive");
  result.cells[0].comparisons[0].verdict.reset();
  undecided(result, "too few blocks");
  result = good();
  result.cells[0].comparisons[2].high = 1.05;
  undecided(result, "A/A not resolved: differences below 5.0 % cannot be told apart, 2.0 % was wanted");
  result = good();
  result.thresholds = {threshold(std::nullopt)};
  undecided(result, "is not judged");
  result = good();
  result.cells[0].comparisons.push_back(result.cells[0].comparisons[0]);
  result.cells[0].comparisons.back().metric = "cpu_client";  // not what arms are ranked by
  result.cells[0].comparisons.back().verdict = "inconclusive";
  CHECK(status(result, true) == 0);
}

TEST_CASE("strict notices a cell that compares nothing, and settings of plaintcp that do not settle") {
  auto unsupported = good();
  unsupported.cells[0].arms[0] = arm_of("openssl", Status::unsupported);
  unsupported.cells[0].arms[3].status = Status::unsupported;
  unsupported.cells[0].comparisons.clear();
  CHECK(status(unsupported) == 0);
  const auto outcome = cli::outcome_of(unsupported, false, true);
  CHECK(outcome.status == 4);
  REQUIRE(outcome.why.size() == 2);
  CHECK(outcome.why[0] == "s: nothing is compared: the baseline openssl is unsupported");
  CHECK(outcome.why[1] == "s: A/A not resolved: the twin is unsupported");

  auto plain = good();
  for (auto& arm : plain.cells[0].arms) arm.proof.version = "none";
  plain.cells[0].comparisons[0].verdict = "inconclusive";
  plain.cells[0].comparisons[1].verdict = "equivalent";
  CHECK(status(plain, true) == 4);
}
