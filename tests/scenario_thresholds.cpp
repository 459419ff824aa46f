// [thresholds]: what may be said, what it is laid on, what is refused.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <tlsrig/scenario/thresholds.hpp>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string table(const std::string& backend, const std::string& metric, const std::string& expr,
                  const std::string& rest = "") {
  return fmt::format("{{ backend = \"{}\", metric = \"{}\", expr = \"{}\"{} }}", backend, metric, expr, rest);
}

std::string thresholds(const std::string& kind, const std::string& tables) {
  return "[thresholds]\n" + kind + " = [" + tables + "]\n";
}

// The one fault of a file, whose place and key begin with `where`.
void faulty(const std::string& text, const std::string& where, const std::vector<std::string>& words,
            const Overrides& overrides = {}) {
  const Outcome outcome = read(text, overrides);
  CAPTURE(text);
  const std::string told = all_text(outcome);
  CAPTURE(told);
  CHECK_FALSE(outcome.plan.has_value());
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(contains(told, where));
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(contains(told, word));
  }
}

Expression good(ThresholdKind kind, const std::string& text) {
  const ParsedExpression parsed = parse_expression(kind, text);
  CAPTURE(text);
  CAPTURE(parsed.fault);
  REQUIRE(parsed.expression.has_value());
  return *parsed.expression;
}

std::string bad(ThresholdKind kind, const std::string& text) {
  const ParsedExpression parsed = parse_expression(kind, text);
  CAPTURE(text);
  CHECK_FALSE(parsed.expression.has_value());
  return parsed.fault;
}

std::string targets(const ScenarioPlan& plan) {
  std::string out;
  for (const ThresholdPlan& threshold : plan.thresholds) {
    out += fmt::format("{} {}:", threshold_kind_name(threshold.kind), threshold.metric);
    for (const auto& target : threshold.targets) {
      out += fmt::format(" {}|{}|{}", target.cell, target.arm, target.backend);
    }
    out += "\n";
  }
  return out;
}

const std::string three =
    "schema = 1\nname = \"t\"\nworkload = \"echo\"\nbackends = [\"openssl\", \"boringssl\", "
    "\"plaintcp\"]\n";
const std::string sizes = "[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n";
const std::string ciphers =
    "schema = 1\nname = \"c\"\nworkload = \"engine\"\nbackends = [\"openssl\", \"wolfssl\", \"plaintcp\"]\n"
    "arms = \"tls.cipher\"\n[matrix]\n\"tls.cipher\" = [\"TLS_AES_128_GCM_SHA256\", "
    "\"TLS_CHACHA20_POLY1305_SHA256\"]\n";

}  // namespace

TEST_CASE("an expression names the unfavourable end, a relation and a bound in its kind's unit") {
  using Kind = ThresholdKind;
  CHECK(good(Kind::ratio, "low > 0.95").is_floor);
  CHECK(good(Kind::ratio, "low > 0.95").bound == 0.95);
  CHECK_FALSE(good(Kind::ratio, "low > 0.95").or_equal);
  CHECK(good(Kind::ratio, "low>=2").or_equal);
  CHECK_FALSE(good(Kind::ratio, "high<=1.5").is_floor);
  CHECK(good(Kind::ratio, "ratio  >= 1.50").is_floor);
  CHECK_FALSE(good(Kind::ratio, "ratio < 1").is_floor);
  CHECK(good(Kind::percentile, "high < 2ms").bound == 0.002);
  CHECK_FALSE(good(Kind::percentile, "value <= 150us").is_floor);
  CHECK(good(Kind::rate, "low > 50k/s").bound == 50'000);
  CHECK(good(Kind::bytes, "value > 500MiB").bound == 500.0 * 1024 * 1024);
  for (const char* text : {"", "low", "low >", "low > ", "low = 1", "low => 1", "low > 1.", "low > .5", "low > 1 ",
                           " low > 1", "low about 1", "low > -1", "low > 1e3", "middle > 1", "value > 1", "low > 5%"}) {
    CHECK(contains(bad(Kind::ratio, text), "needed: low, high or ratio"));
  }
  CHECK(contains(bad(Kind::ratio, "high > 2"), "write \"low > 2\""));
  CHECK(contains(bad(Kind::percentile, "low < 2ms"), "unfavourable one: write \"high < 2ms\""));
  CHECK(contains(bad(Kind::percentile, "high < 2"), "a duration"));
  CHECK(contains(bad(Kind::percentile, "high < 2 sec"), "did you mean \"high < 2s\""));
  CHECK(contains(bad(Kind::percentile, "ratio < 2ms"), "low, high or value"));
  CHECK(contains(bad(Kind::rate, "low > 50k"), "did you mean \"low > 50k/s\""));
  CHECK(contains(bad(Kind::bytes, "low > 500MiB/s"), "did you mean \"low > 500MiB\""));
  CHECK(contains(bad(Kind::bytes, "low > 500mb"), "did you mean \"low > 500MiB\""));
}

TEST_CASE("a threshold is laid on every arm that it is about, never on the twin") {
  const auto plan = plan_of(three + sizes + "[thresholds]\nratio = [" + table("boringssl", "throughput", "low > 0.9") +
                            "]\nrate = [" + table("openssl", "throughput", "low > 1/s", ", cell = \"=64B\"") +
                            "]\npercentile = [" + table("plaintcp", "service_time_p99", "high < 1s") + "]\nbytes = [" +
                            table("boringssl", "payload_bytes_per_second", "low > 1MiB") + "]\n");
  const std::string small = "t/message_size=64B", large = "t/message_size=1KiB";
  CHECK(targets(plan) == "ratio throughput: " + small + "|boringssl|boringssl " + large + "|boringssl|boringssl\n" +
                             "rate throughput: " + small + "|openssl|openssl\n" +
                             "percentile service_time_p99: " + small + "|plaintcp|plaintcp " + large +
                             "|plaintcp|plaintcp\n" + "bytes payload_bytes_per_second: " + small +
                             "|boringssl|boringssl " + large + "|boringssl|boringssl\n");
  CHECK(plan.effective.at("thresholds").at("rate").dump() ==
        R"([{"backend":"openssl","cell":"=64B","metric":"throughput","expr":"low > 1/s"}])");
  CHECK_FALSE(plan_of(three).effective.contains("thresholds"));
}

TEST_CASE("where the values of a key are compared, a threshold names a backend, a value, or both") {
  const std::string by_value =
      "{ arm = \"TLS_CHACHA20_POLY1305_SHA256\", metric = \"cpu_engine\", expr = \"high < 3\" }";
  CHECK(targets(plan_of(ciphers + thresholds("ratio", by_value))) ==
        "ratio cpu_engine: c/backend=openssl|TLS_CHACHA20_POLY1305_SHA256|openssl "
        "c/backend=wolfssl|TLS_CHACHA20_POLY1305_SHA256|wolfssl\n");
  const std::string both = table("wolfssl", "throughput", "low > 1/s", ", arm = \"TLS_AES_128_GCM_SHA256\"");
  CHECK(targets(plan_of(ciphers + thresholds("rate", both))) ==
        "rate throughput: c/backend=wolfssl|TLS_AES_128_GCM_SHA256|wolfssl\n");
  // Of a backend's arms the baseline has no ratio.
  CHECK(targets(plan_of(ciphers + thresholds("ratio", table("openssl", "throughput", "low > 0.1")))) ==
        "ratio throughput: c/backend=openssl|TLS_CHACHA20_POLY1305_SHA256|openssl\n");
  CHECK(targets(plan_of(ciphers + thresholds("rate", table("plaintcp", "throughput", "low > 1/s")))) ==
        "rate throughput: c/backend=plaintcp|plaintcp|plaintcp\n");
  faulty(ciphers + thresholds("ratio",
                              "{ arm = \"TLS_CHACHA_POLY1305_SHA256\", metric = \"throughput\", expr = \"low > "
                              "1\" }"),
         ":9:18: thresholds.ratio.arm", {"did you mean \"TLS_CHACHA20_POLY1305_SHA256\""});
  faulty(ciphers + thresholds("ratio",
                              "{ arm = \"TLS_AES_128_GCM_SHA256#2\", metric = \"throughput\", expr = \"low > 1\" "
                              "}"),
         "thresholds.ratio.arm", {"A/A check"});
  faulty(ciphers + thresholds("ratio", table("openssl", "throughput", "low > 1", ", arm = \"TLS_AES_128_GCM_SHA256\"")),
         ":9:10: thresholds.ratio", {"TLS_AES_128_GCM_SHA256 is the baseline here"});
  faulty(three + thresholds("ratio", "{ arm = \"boringssl\", metric = \"throughput\", expr = \"low > 1\" }"),
         "thresholds.ratio.arm", {"say backend = ..."});
}

TEST_CASE("what cannot be demanded is refused with what can be") {
  const auto ratio = [](const std::string& text) { return three + thresholds("ratio", text); };
  faulty(ratio("3"), ":6:10: thresholds.ratio", {"found 3", "a list of tables"});
  faulty(three + "[thresholds]\nratio = 3\n", ":6:9: thresholds.ratio", {"a list of tables"});
  faulty(three + "[thresholds]\nratios = []\n", ":6:1: thresholds.ratios", {"did you mean \"ratio\""});
  faulty(ratio("{ backend = \"boringssl\", metric = \"throughput\" }"), "thresholds.ratio.expr", {"missing"});
  faulty(ratio("{ metric = \"throughput\", expr = \"low > 1\" }"), "thresholds.ratio.backend", {"missing", "(or arm)"});
  faulty(ratio(table("boringsll", "throughput", "low > 1")), ":6:22: thresholds.ratio.backend",
         {"did you mean \"boringssl\""});
  faulty(ratio(table("openssl#2", "throughput", "low > 1")), "thresholds.ratio.backend", {"A/A check"});
  faulty(ratio(table("boringssl", "throughput", "low > 1", ", x = 1")), "thresholds.ratio.x", {"unknown key"});
  faulty(ratio("{ backend = \"boringssl\", metric = \"throughput\", expr = 1 }"), "thresholds.ratio.expr",
         {"found 1; needed: a string"});
  faulty(ratio(table("boringssl", "thruput", "low > 1")), "thresholds.ratio.metric",
         {"the workload echo gives", "\"cpu_client\""});
  faulty(ratio(table("boringssl", "cpu_clint", "low > 1")), "thresholds.ratio.metric", {"did you mean \"cpu_client\""});
  faulty(ratio(table("boringssl", "cpu_engine", "low > 1")), "thresholds.ratio.metric", {"\"cpu_server\""});
  faulty(ratio(table("boringssl", "payload_bytes_per_second", "low > 1")), "thresholds.ratio.metric",
         {"write metric = \"throughput\""});
  faulty(three + thresholds("rate", table("boringssl", "service_time_p99", "low > 1/s")), "thresholds.rate.metric",
         {"belongs in thresholds.ratio or thresholds.percentile"});
  faulty(three + thresholds("percentile", table("boringssl", "response_time_p99", "high < 1s")),
         "thresholds.percentile.metric", {"open loop"});
  faulty(three + thresholds("bytes", table("boringssl", "bytes_per_connection", "high < 1MiB")),
         "thresholds.bytes.metric", {"workload idle", "not offered by this version"});
  faulty(engine_head() + thresholds("percentile", table("openssl", "service_time_p99", "high < 1s")),
         "thresholds.percentile", {"belongs to the workload echo; this scenario's workload is engine"});
  faulty(ratio(table("openssl", "throughput", "low > 1")), ":6:10: thresholds.ratio",
         {"openssl is the baseline here", "-s thresholds.ratio=[]"});
  faulty(ratio(table("wolfssl", "throughput", "low > 1")), ":6:10: thresholds.ratio",
         {"none of the backends of this scenario"});
  faulty(ratio(table("boringssl", "throughput", "low > 1", ", cell = \"64B\"")), ":6:10: thresholds.ratio",
         {"no cell's id has \"64B\" in it; the first is t"});
  faulty(engine_head() + "[engine]\noperation = \"handshake\"\n" +
             thresholds("bytes", table("openssl", "payload_bytes_per_second", "low > 1MiB")),
         "thresholds.bytes", {"moves no payload"});
}

TEST_CASE("the command line over thresholds") {
  const std::string text = three + sizes + thresholds("ratio", table("boringssl", "throughput", "low > 0.9"));
  Overrides overrides;
  overrides.filter = "64B";
  CHECK(targets(plan_of(text, overrides)) == "ratio throughput: t/message_size=64B|boringssl|boringssl\n");
  const std::string one_cell =
      three + sizes + thresholds("ratio", table("boringssl", "throughput", "low > 0.9", ", cell = \"1KiB\""));
  CHECK(plan_of(one_cell, overrides).thresholds.empty());
  overrides = {};
  overrides.backends = {"openssl", "plaintcp"};
  CHECK(plan_of(text, overrides).thresholds.empty());
  overrides = {};
  overrides.matrix = {{"traffic.message_size", {"64B"}}};
  CHECK(plan_of(one_cell, overrides).thresholds.empty());
  overrides = {};
  overrides.baseline = "boringssl";
  faulty(text, "thresholds.ratio", {"boringssl is the baseline here", "-s thresholds.ratio=[]"}, overrides);
  overrides.settings = {{"thresholds.ratio", "[]"}};
  CHECK(plan_of(text, overrides).thresholds.empty());
  overrides = {};
  overrides.settings = {{"thresholds.ratio", "[" + table("plaintcp", "throughput", "low > 0.1") + "]"}};
  CHECK(targets(plan_of(three + thresholds("ratio", table("boringssl", "throughput", "low > 0.9")), overrides)) ==
        "ratio throughput: t|plaintcp|plaintcp\n");
  overrides.settings = {{"thresholds.ratio", "[" + table("plaintcp", "throughput", "low") + "]"}};
  faulty(three, "thresholds.ratio.expr", {"-s thresholds.ratio="}, overrides);
}
