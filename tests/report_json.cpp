// The report: what is in the result file.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>

#include "report_sample.hpp"

namespace report = tlsrig::report;
using report::Json;

namespace {

using Names = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Names keys(const Json& json) {
  Names names;
  for (const auto& item : json.items()) names.push_back(item.key());
  return names;
}

}  // namespace

TEST_CASE("json: every key of the format, in its order") {
  const Json json = report::to_json(sample::result());
  CHECK(keys(json) == Names{"schema", "complete", "tool", "started", "command", "seed", "machine", "scenarios",
                            "backends", "cells", "self_check", "thresholds"});
  CHECK(json["schema"] == 1);
  CHECK(json["complete"] == true);
  CHECK(json["tool"] == Json{{"version", "0.1.0"}});
  CHECK(json["seed"] == 18446744073709551615u);
  CHECK(json["thresholds"] == Json::array());
  CHECK(keys(json["scenarios"][0]) == Names{"name", "file", "effective"});
  CHECK(keys(json["backends"][0]) == Names{"name", "variant", "library", "files", "build", "features", "warnings"});
  CHECK(json["backends"][1]["files"][0]["build_id"].is_null());
  CHECK(json["backends"][1]["build"].is_null());

  const Json& cell = json["cells"][0];
  CHECK(keys(cell) == Names{"id", "scenario", "workload", "params", "baseline", "arms", "comparisons", "self_check"});
  CHECK(cell["params"] == Json{{"traffic.message_size", "1KiB"}});
  const Json& arm = cell["arms"][0];
  CHECK(keys(arm) == Names{"id", "backend", "variant", "settings", "roles", "twin", "status", "reason", "proof",
                           "metrics", "blocks"});
  CHECK(keys(arm["proof"]) == Names{"version", "cipher", "group", "signature", "resumed", "hello_retry",
                                    "peer_verified", "encrypt_then_mac", "tickets", "source", "connections",
                                    "bytes_verified", "errors", "roles"});
  CHECK(arm["proof"]["resumed"] == Json{{"yes", nullptr}, {"no", nullptr}});
  CHECK(arm["proof"]["connections"] == Json{{"asked", 16}, {"achieved", 16}});
  CHECK(arm["proof"]["errors"] == Json::object());
  CHECK(keys(arm["metrics"]) == Names{"throughput", "payload_bytes_per_second", "cpu_client", "cpu_server",
                                      "service_time_p50", "service_time_p99", "service_time_p999"});
  CHECK(keys(arm["metrics"]["throughput"]) == Names{"unit", "better", "value", "low", "high", "n"});
  CHECK(arm["metrics"]["service_time_p999"]["value"].is_null());
  CHECK(keys(arm["blocks"][0]) ==
        Names{"order", "seconds", "operations", "roles", "histogram", "layout", "steal", "flags"});
  CHECK(keys(arm["blocks"][0]["roles"]["client"]) == Names{"cpu_user", "cpu_system", "involuntary_switches"});
  CHECK(keys(cell["comparisons"][0]) ==
        Names{"arm", "baseline", "metric", "ratio", "low", "high", "n", "limit", "verdict"});
  CHECK(cell["comparisons"][0]["verdict"].is_null());
}

TEST_CASE("json: counts of a role on the wire") {
  report::Result result = sample::result();
  result.cells[0].arms[0].proof.roles["client"] = {10, 11, std::nullopt, 13, 14, 15, 7, 8};
  result.cells[0].arms[0].proof.errors["truncated"] = 2;
  const Json proof = report::to_json(result)["cells"][0]["arms"][0]["proof"];
  CHECK(proof["roles"].dump() ==
        R"({"client":{"records_in":10,"records_out":11,"reads":null,"writes":13,"bytes_in":14,)"
        R"("bytes_out":15,"operations":8,"warmup_operations":7}})");
  CHECK(proof["errors"] == Json{{"truncated", 2}});
}

TEST_CASE("json: an arm that failed has no number and no ratio") {
  const Json json = report::to_json(sample::result());
  const Json& failed = json["cells"][0]["arms"][3];
  CHECK(failed["status"] == "failed");
  CHECK(failed["metrics"] == Json::object());
  CHECK(json["cells"][1]["arms"][3]["status"] == "unsupported");
  CHECK(json["cells"][1]["arms"][3]["metrics"] == Json::object());
  for (const Json& comparison : json["cells"][0]["comparisons"]) CHECK(comparison["arm"] != "wolfssl");
  CHECK(json["cells"][0]["comparisons"].size() == 3);
}

TEST_CASE("json: the self-check is what the twins say, the worst one at the top") {
  const Json json = report::to_json(sample::result());
  CHECK(json["cells"][0]["self_check"]["throughput"]["ratio"] == 1.002);
  CHECK(keys(json["self_check"]) == Names{"cell", "metric", "ratio", "low", "high"});
  report::Result result = sample::result();
  result.cells[0].comparisons[0].high = 1.08;
  CHECK(report::to_json(result)["self_check"]["cell"] == "echo/message_size=1KiB");
  result.cells[1].comparisons[0].low = 0.9;  // as far from 1 as 1.11
  CHECK(report::to_json(result)["self_check"]["cell"] == "engine/operation=wrap/message_size=16KiB");
  for (report::Cell& cell : result.cells) cell.comparisons.clear();
  CHECK(report::to_json(result)["self_check"].is_null());
  CHECK(report::to_json(result)["cells"][0]["self_check"].is_null());
}

TEST_CASE("json: numbers are finite, text is UTF-8") {
  report::Result result = sample::result();
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  report::Arm& arm = result.cells[0].arms[0];
  arm.metrics[0].value = nan;
  arm.metrics[0].high = inf;
  arm.blocks[0].seconds = -inf;
  arm.blocks[0].layout = {{"offset", nan}};
  result.cells[0].comparisons[0].limit = nan;
  result.backends[0].build = "broken \xff text";
  result.machine["bad \xfe key"] = "\xc3";
  const std::string text = report::to_json_text(result);
  const Json json = Json::parse(text);  // throws on "nan" and on what is not UTF-8
  CHECK(json["cells"][0]["arms"][0]["metrics"]["throughput"]["value"].is_null());
  CHECK(json["cells"][0]["arms"][0]["metrics"]["throughput"]["high"].is_null());
  CHECK(json["cells"][0]["arms"][0]["blocks"][0]["seconds"].is_null());
  CHECK(json["cells"][0]["arms"][0]["blocks"][0]["layout"]["offset"].is_null());
  CHECK(json["cells"][0]["comparisons"][0]["limit"].is_null());
  CHECK(json["backends"][0]["build"] == "broken \xef\xbf\xbd text");
}

TEST_CASE("json: the text is the same document, short to look at") {
  const report::Result result = sample::result();
  const std::string text = report::to_json_text(result);
  CHECK(Json::parse(text) == report::to_json(result));
  CHECK(text.ends_with("}\n"));
  CHECK(contains(text, "\"histogram\": [[104000,15000],[105000,15000]],\n"));
  CHECK(contains(text, "\n \"seed\": 18446744073709551615,\n"));
  const report::Result empty;
  CHECK(Json::parse(report::to_json_text(empty)) == report::to_json(empty));
  CHECK(report::to_json(empty)["machine"].is_null());
}

TEST_CASE("json: an inconclusive comparison says how many blocks would settle it") {
  report::Result result = sample::result();
  result.cells[0].comparisons[1].verdict = "inconclusive";
  result.cells[0].comparisons[1].blocks_needed = 40;
  const Json json = report::to_json(result);
  CHECK(json["cells"][0]["comparisons"][1]["blocks_needed"] == 40);
  CHECK_FALSE(json["cells"][0]["comparisons"][0].contains("blocks_needed"));
}
