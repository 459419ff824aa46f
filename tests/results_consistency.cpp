// A result whose numbers are not those of its blocks is refused, whichever of them was changed.
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include <fmt/format.h>

#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/consistency.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/scenario/plan.hpp>

#include "report_sample.hpp"

namespace judge = tlsrig::judge;
namespace report = tlsrig::report;
namespace scenario = tlsrig::scenario;

namespace {

report::Arm measured(const std::string& id, const scenario::Settings& settings, double speed) {
  report::Arm arm;
  arm.id = id;
  arm.backend = id.substr(0, id.find('#'));
  arm.twin = id.ends_with("#2");
  arm.settings = scenario::to_json(settings);
  arm.proof.version = arm.backend == "plaintcp" ? "none" : "1.3";
  arm.status = report::Status::ok;
  for (unsigned i = 0; i < 8; ++i) {
    report::Block block;
    block.seconds = 0.2 + 0.001 * i;
    block.operations = static_cast<std::uint64_t>(speed * (1000 + (i * 37) % 11));
    block.roles = {{"client", {0.1 / speed, 0.01 + 0.001 * i, 3}}, {"server", {0.09, 0.1, 2}}};
    block.histogram = report::Json::array({report::Json::array({104000, 700 + i}), report::Json::array({105000, 600})});
    arm.blocks.push_back(block);
  }
  arm.metrics = judge::metrics_of(arm, settings);
  return arm;
}

// As a run makes it, from blocks that are written down here.
report::Result measured_result() {
  scenario::Settings settings;
  report::Result result;
  result.scenarios = {{"echo", "echo.toml", nullptr}};
  report::Cell cell;
  cell.id = "echo/message_size=1KiB";
  cell.scenario = cell.workload = "echo";
  cell.baseline = "openssl";
  cell.arms = {measured("openssl", settings, 1), measured("openssl#2", settings, 1.001),
               measured("boringssl", settings, 1.1), measured("wolfssl", settings, 1.012),
               measured("plaintcp", settings, 2)};
  cell.arms[2].blocks[3].operations += 9;
  for (unsigned i = 0; i < 8; ++i) cell.arms[3].blocks[i].operations += i * 6;  // spread, so that it is inconclusive
  for (auto& arm : cell.arms) arm.metrics = judge::metrics_of(arm, settings);
  judge::compare_arms(cell, settings);
  result.cells = {cell};
  result.cells.push_back(cell);
  report::Cell& interrupted = result.cells[1];
  interrupted.id = "echo/message_size=16KiB";
  interrupted.comparisons.clear();
  for (auto& arm : interrupted.arms) {
    arm.status = report::Status::incomplete;
    arm.metrics.clear();
  }
  return result;
}

std::string fault_of(const report::Result& result) {
  try {
    judge::require_consistent(result, "r.json");
  } catch (const report::UnreadableResult& fault) {
    return fault.what();
  }
  return "(consistent)";
}

// As a file that somebody edits.
std::string fault_edited(const std::string& pointer, const std::function<void(report::Json&)>& edit) {
  static const report::Json as_written = report::to_json(measured_result());
  report::Json json = as_written;
  edit(json.at(report::Json::json_pointer(pointer)));
  return fault_of(report::result_from_json(json));
}

std::string fault_with(const std::string& pointer, const report::Json& value) {
  return fault_edited(pointer, [&](report::Json& place) { place = value; });
}

const std::string changed = ": the file was changed after it was written, or by another version";

}  // namespace

TEST_CASE("consistency: what a run wrote is consistent, read back and in memory") {
  const report::Result result = measured_result();
  REQUIRE(result.cells[0].comparisons.size() >= 12);
  CHECK(fault_of(result) == "(consistent)");
  CHECK(fault_of(report::result_from_json(report::Json::parse(report::to_json_text(result)))) == "(consistent)");
  CHECK(fault_of(report::Result()) == "(consistent)");
}

TEST_CASE("consistency: every number of every metric and comparison") {
  const report::Json json = report::to_json(measured_result());
  int edits = 0;
  const auto check = [&](const std::string& place) {
    INFO(place);
    const std::string fault = fault_edited(place, [&](report::Json& value) {
      if (!value.is_number_float())
        value = value.get<std::uint64_t>() + 2;
      else  // an interval stays one
        value = value.get<double>() * (place.ends_with("/low") ? 0.99999 : 1.00001);
    });
    CHECK(fault.starts_with("r.json: cells[0] (echo/message_size=1KiB): "));
    CHECK(fault.ends_with(changed));
    ++edits;
  };
  const auto each_number = [&](const report::Json& object, const std::string& place) {
    for (const auto& item : object.items())
      if (item.value().is_number()) check(place + "/" + item.key());
  };
  for (std::size_t i : {0U, 2U, 3U, 4U}) {  // the twin's metrics are no other's business
    const std::string arm = "/cells/0/arms/" + std::to_string(i);
    for (const auto& metric : json["cells"][0]["arms"][i]["metrics"].items())
      each_number(metric.value(), arm + "/metrics/" + metric.key());
  }
  for (std::size_t i = 0; i < json["cells"][0]["comparisons"].size(); ++i)
    if (json["cells"][0]["comparisons"][i]["arm"] != "openssl#2")  // else the self-check differs first
      each_number(json["cells"][0]["comparisons"][i], "/cells/0/comparisons/" + std::to_string(i));
  CHECK(edits > 100);
}

TEST_CASE("consistency: what was changed is said, with both numbers") {
  report::Result result = measured_result();
  result.cells[0].arms[0].metrics[0].value = 140600;
  const double given = *measured_result().cells[0].arms[0].metrics[0].value;
  CHECK(fault_of(result) == fmt::format("r.json: cells[0] (echo/message_size=1KiB): openssl: throughput is 140600, its "
                                        "blocks give {:.10g}",
                                        given) +
                                changed);
  const std::string in_cell = "r.json: cells[0] (echo/message_size=1KiB): ";
  const std::string verdict = report::to_json(measured_result())["cells"][0]["comparisons"][1]["verdict"];
  CHECK(verdict == "faster");
  CHECK(fault_with("/cells/0/comparisons/1/verdict", "slower") ==
        in_cell + "boringssl against openssl, throughput verdict is \"slower\", its blocks give \"faster\"" + changed);
  CHECK(fault_with("/cells/0/comparisons/1/verdict", nullptr) ==
        in_cell + "boringssl against openssl, throughput verdict is \"none\", its blocks give \"faster\"" + changed);
  CHECK(fault_with("/cells/0/comparisons/1/baseline", "wolfssl").find("baseline is \"wolfssl\"") != std::string::npos);
  CHECK(fault_edited("/cells/0/comparisons", [](report::Json& list) { list.erase(1); }) ==
        in_cell + "boringssl against openssl, throughput is missing, the blocks give it" + changed);
  CHECK(fault_edited("/cells/0/arms/0/metrics", [](report::Json& metrics) {
          metrics.erase("cpu_client");
        }).find("openssl: cpu_client is missing, its blocks give it") != std::string::npos);
  CHECK(fault_edited("/cells/0/arms/0/metrics", [](report::Json& metrics) {
          metrics["power"] = metrics["throughput"];
        }).find("openssl: power is none that its blocks give") != std::string::npos);
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/better", "lower").find("better is \"lower\"") !=
        std::string::npos);
  CHECK(fault_with("/cells/0/arms/0/metrics/throughput/unit", "GB/s").find("unit is \"GB/s\"") != std::string::npos);
}

TEST_CASE("consistency: thresholds are judged again") {
  const auto fault = [](double value, std::optional<bool> held, const std::string& expr = "low > 0.95") {
    report::Result result = measured_result();
    const auto& comparison = result.cells[0].comparisons[1];
    REQUIRE(comparison.arm == "boringssl");
    REQUIRE(*comparison.low > 1);
    report::Threshold threshold{expr, "throughput", result.cells[0].id, "boringssl", "boringssl", value, held, {}};
    if (value == 0) threshold.value = comparison.low;
    result.thresholds = {threshold};
    return fault_of(result);
  };
  CHECK(fault(0, true) == "(consistent)");
  CHECK(fault(0, false) == "r.json: thresholds[0] held is \"false\", its blocks give \"true\"" + changed);
  CHECK(fault(0, std::nullopt).find("held is \"none\", its blocks give \"true\"") != std::string::npos);
  CHECK(fault(0.5, true).starts_with("r.json: thresholds[0] value is 0.5, its blocks give 1."));
  CHECK(fault(0, true, "low > 1.5").find("held is \"true\", its blocks give \"false\"") != std::string::npos);
  CHECK(fault(0, true, "good enough").find("thresholds[0] expr cannot be judged (") != std::string::npos);
}

TEST_CASE("consistency: changed blocks, settings and states") {
  const auto found = [](const std::string& fault, const char* part) {
    INFO(fault);
    CHECK(fault.find(part) != std::string::npos);
  };
  found(fault_with("/cells/0/arms/2/blocks/0/operations", 1), "boringssl: throughput");
  found(fault_with("/cells/0/arms/2/blocks/0/seconds", 0.1), "boringssl: throughput");
  found(fault_edited("/cells/0/arms/2/blocks", [](report::Json& blocks) { blocks.erase(0); }), "boringssl: ");
  found(fault_with("/cells/0/arms/2/blocks", report::Json::array()), "boringssl: ");
  found(fault_with("/cells/0/arms/2/blocks/0/roles/client/cpu_user", 7), "boringssl: cpu_client");
  found(fault_with("/cells/0/arms/2/blocks/0/roles", report::Json::object()), "boringssl: cpu_client");
  found(fault_with("/cells/0/arms/2/blocks/0/histogram/0/1", 9), "boringssl: service_time_p50 ");
  found(fault_with("/cells/0/arms/2/blocks/0/histogram", nullptr), "boringssl: service_time_p50");
  found(fault_with("/cells/0/arms/2/settings/traffic/message_size", "64B"), "boringssl: payload_bytes_per_second");
  found(fault_with("/cells/0/arms/0/settings/measure/equivalence", "50%"),
        "boringssl against openssl, throughput limit");
  found(fault_with("/cells/0/arms/0/settings", nullptr), "openssl cannot be judged by its settings");
  found(fault_with("/cells/0/arms/0/settings/workload", "juggling"), "openssl cannot be judged by its settings");
  found(fault_with("/cells/0/baseline", "boringssl"), "openssl#2 against openssl, throughput ratio is");
  // An arm declared good after the fact has no metrics, one declared bad would still be compared.
  found(fault_with("/cells/1/arms/0/status", "ok"),
        "cells[1] (echo/message_size=16KiB): openssl: throughput is missing");
}

TEST_CASE("consistency: numbers that no run could have are refused with their place") {
  CHECK(
      fault_with("/cells/0/arms/2/blocks/0/seconds", 1e-310).starts_with("r.json: cells[0] (echo/message_size=1KiB)"));
  CHECK(fault_with("/cells/0/arms/0/blocks/0/seconds", 1e-310).find("cannot be judged again (") != std::string::npos);
}

TEST_CASE("consistency: a file of a version that knew fewer metrics is good, one with a metric taken out is not") {
  report::Json json = report::to_json(measured_result());
  const auto drop = [](report::Json& cell, std::size_t arms) {
    for (std::size_t i = 0; i < arms; ++i) cell["arms"][i]["metrics"].erase("service_time_p50");
    report::Json& comparisons = cell["comparisons"];
    for (std::size_t i = comparisons.size(); i-- > 0;)
      if (comparisons[i]["metric"] == "service_time_p50") comparisons.erase(i);
    cell["self_check"].erase("service_time_p50");
  };
  drop(json["cells"][0], 1);
  CHECK(fault_of(report::result_from_json(json)).find("service_time_p50") != std::string::npos);
  for (report::Json& cell : json["cells"])
    if (!cell["self_check"].is_null())
      drop(cell, cell["arms"].size());
    else
      for (report::Json& arm : cell["arms"]) arm["metrics"].erase("service_time_p50");
  CHECK(fault_of(report::result_from_json(json)) == "(consistent)");
}

TEST_CASE("consistency: a threshold of which a file tells too little is passed over") {
  report::Json json = report::to_json(measured_result());
  json["thresholds"] = {{{"expr", "low > 0.95"}, {"backend", "boringssl"}, {"value", 1.5}, {"held", true}}};
  CHECK(fault_of(report::result_from_json(json)) == "(consistent)");
}

TEST_CASE("consistency: a threshold is one of those that the scenario demands") {
  report::Result result = measured_result();
  const auto& comparison = result.cells[0].comparisons[1];
  result.thresholds = {
      {"low > 0.95", "throughput", result.cells[0].id, "boringssl", "boringssl", comparison.low, true, {}}};
  const auto demanded = [&](const char* backend, const char* expr) {
    result.scenarios[0].effective = report::Json::parse(
        fmt::format(R"({{"thresholds": {{"ratio": [{{"backend": "{}", "metric": "throughput", "expr": "{}"}}]}}}})",
                    backend, expr));
    return fault_of(result);
  };
  CHECK(demanded("boringssl", "low > 0.95") == "(consistent)");
  const std::string fault = "r.json: thresholds[0] is none that the scenario in the file demands" + changed;
  CHECK(demanded("boringssl", "low > 0.99") == fault);
  CHECK(demanded("wolfssl", "low > 0.95") == fault);
  result.scenarios[0].effective = report::Json::object();
  CHECK(fault_of(result) == fault);
}
