// A result made by hand that has everything the HTML page shows: two scenarios, cells with histograms, roles and flags,
// arms of every status, a baseline that failed, settings as arms, a variant, thresholds of every outcome.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tlsrig/report/model.hpp>

namespace html_sample {

namespace report = tlsrig::report;

inline constexpr int blocks_measured = 10;

// The machine's drift, which all arms of a block share.
inline double drift(int block) { return 1 + 0.12 * std::sin(block * 0.9); }

// A sparse histogram around a median, with a tail.
inline report::Json histogram(double median_ns, std::uint64_t operations) {
  report::Json buckets = report::Json::array();
  double left = static_cast<double>(operations);
  for (double bound = 0.7; left >= 1; bound *= 1.09) {
    const double share = bound < 1.5 ? 0.24 : 0.55;
    const auto count = static_cast<std::uint64_t>(std::ceil(left * share));
    buckets.push_back(report::Json::array({static_cast<std::int64_t>(median_ns * bound), count}));
    left -= static_cast<double>(count);
  }
  return buckets;
}

inline report::Metric metric(const std::string& name, const std::string& unit, const std::string& better, double value,
                             std::uint64_t n = blocks_measured) {
  return {name, unit, better, value, value * 0.96, value * 1.05, n};
}

inline report::RoleCounts counts(double reads, double writes, double bytes_in, double bytes_out) {
  report::RoleCounts counts;
  counts.operations = counts.warmup_operations = 1000;
  const auto of = [](double each) { return static_cast<std::uint64_t>(each * 1000); };
  counts.reads = of(reads), counts.writes = of(writes), counts.bytes_in = of(bytes_in),
  counts.bytes_out = of(bytes_out);
  counts.records_in = counts.records_out = 1000;
  return counts;
}

// An arm that did everything: `rate` operations per second at `latency_ns`.
inline report::Arm arm(const std::string& id, const std::string& backend, double rate, double latency_ns) {
  report::Arm arm;
  arm.id = id;
  arm.backend = backend;
  arm.twin = id.ends_with("#2");
  arm.status = report::Status::ok;
  arm.settings = {{"measure", {{"equivalence", "2%"}}}};
  arm.roles = {{"client", backend}, {"server", backend}};
  const bool plain = backend == "plaintcp";
  arm.proof.version = plain ? "none" : "1.3";
  if (!plain) {
    arm.proof.cipher = "TLS_AES_128_GCM_SHA256";
    arm.proof.group = "x25519";
    arm.proof.signature = "ecdsa_secp256r1_sha256";
    arm.proof.peer_verified = true;
    arm.proof.resumed_yes = 0;
    arm.proof.resumed_no = 16;
    arm.proof.hello_retry = arm.proof.encrypt_then_mac = false;
    arm.proof.source = {{"version", "wire"}, {"cipher", "wire"}, {"peer_verified", "library"}};
  }
  arm.proof.connections_asked = arm.proof.connections_achieved = 16;
  arm.proof.bytes_verified = 123456789;
  arm.proof.roles = {{"client", counts(2, backend == "wolfssl" ? 4 : 1, 1046, 86)}, {"server", counts(2, 1, 86, 1046)}};
  for (int number = 0; number < blocks_measured; ++number) {
    report::Block block;
    block.order = static_cast<unsigned>(number % 5);
    block.seconds = 0.5;
    block.operations = static_cast<std::uint64_t>(rate * block.seconds * drift(number));
    const double busy = static_cast<double>(block.operations) / rate;
    block.roles = {{"client", {busy * 0.3, busy * 0.5, 4}}, {"server", {busy * 0.4, busy * 0.45, 2}}};
    block.histogram = histogram(latency_ns, block.operations);
    arm.blocks.push_back(std::move(block));
  }
  arm.metrics = {metric("throughput", "operations/s", "higher", rate),
                 metric("payload_bytes_per_second", "B/s", "higher", rate * 2048),
                 metric("service_time_p50", "s", "lower", latency_ns / 1e9, 700'000),
                 metric("service_time_p99", "s", "lower", latency_ns * 2.4 / 1e9, 700'000),
                 metric("cpu_client", "s/operation", "lower", 0.8 / rate),
                 metric("cpu_server", "s/operation", "lower", 0.85 / rate)};
  return arm;
}

// Such an arm that came to nothing; its numbers (777777 and the like) must be seen nowhere.
inline report::Arm without_number(const std::string& id, const std::string& backend, report::Status status,
                                  const std::string& reason) {
  report::Arm result = arm(id, backend, 777777, 77777);
  result.status = status;
  result.reason = reason;
  return result;
}

inline report::Comparison compared(const report::Cell& cell, const std::string& arm, double ratio, double spread,
                                   std::optional<std::string> verdict) {
  report::Comparison comparison{
      arm,          cell.baseline, "throughput", ratio, ratio / (1 + spread), ratio * (1 + spread), blocks_measured,
      std::nullopt, verdict,       std::nullopt};
  if (verdict) comparison.limit = 0.031;
  if (verdict == "inconclusive") comparison.blocks_needed = 42;
  return comparison;
}

inline report::Cell echo_cell(const std::string& size, double rate) {
  report::Cell cell;
  cell.id = "echo/message_size=" + size;
  cell.scenario = cell.workload = "echo";
  cell.params = {{"traffic.message_size", size}};
  cell.baseline = "openssl";
  cell.arms = {arm("openssl", "openssl", rate, 110e3),        arm("boringssl", "boringssl", rate * 1.083, 103e3),
               arm("wolfssl", "wolfssl", rate * 0.42, 241e3), arm("ossl35", "openssl", rate * 1.004, 109e3),
               arm("plaintcp", "plaintcp", rate * 1.9, 52e3), arm("openssl#2", "openssl", rate * 1.002, 110e3)};
  cell.arms[3].variant = "ossl35";
  cell.arms[0].blocks[3].flags = {"steal", "late"};
  cell.comparisons = {
      compared(cell, "boringssl", 1.083, 0.012, "faster"), compared(cell, "wolfssl", 0.424, 0.02, "slower"),
      compared(cell, "ossl35", 1.004, 0.009, "equivalent"), compared(cell, "plaintcp", 1.913, 0.02, std::nullopt),
      compared(cell, "openssl#2", 1.002, 0.029, std::nullopt)};
  return cell;
}

// wolfssl failed, boringssl unsupported, ossl35 interrupted.
inline report::Cell broken_cell() {
  report::Cell cell = echo_cell("16KiB", 61000);
  const std::string failure = "server: crashed (SIGSEGV) in read, in code of /usr/lib/libwolfssl.so.35 (step slice)";
  cell.arms[2] = without_number("wolfssl", "wolfssl", report::Status::failed, failure);
  cell.arms[1] = without_number("boringssl", "boringssl", report::Status::unsupported, "it cannot choose this suite");
  cell.arms[3] = without_number("ossl35", "openssl", report::Status::incomplete, "interrupted");
  cell.arms[3].variant = "ossl35";
  cell.comparisons = {compared(cell, "boringssl", 7.717, 0.012, "faster"),
                      compared(cell, "wolfssl", 7.727, 0.02, "faster"), compared(cell, "ossl35", 7.737, 0.02, "faster"),
                      compared(cell, "plaintcp", 1.913, 0.02, std::nullopt),
                      compared(cell, "openssl#2", 0.998, 0.044, std::nullopt)};
  return cell;
}

// Settings of one library as arms, with names that fill a plot.
inline report::Cell cipher_cell(const std::string& backend, bool baseline_failed) {
  const std::string aes = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    chacha = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256";
  report::Cell cell;
  cell.id = "ciphers/backend=" + backend;
  cell.scenario = "ciphers";
  cell.workload = "engine";
  cell.params = {{"backend", backend}};
  cell.baseline = aes;
  cell.arms = {baseline_failed ? without_number(aes, backend, report::Status::failed, "the handshake failed: alert 40")
                               : arm(aes, backend, 180000, 5e3),
               arm(chacha, backend, 66000, 15e3)};
  for (report::Arm& each : cell.arms) {
    for (report::Block& block : each.blocks) block.histogram = nullptr;
    if (baseline_failed) each.proof.roles.clear();
  }
  cell.comparisons = {compared(cell, chacha, baseline_failed ? 7.747 : 0.981, 0.024, "inconclusive")};
  return cell;
}

inline report::Json effective(const std::string& name) {
  return {{"schema", 1},
          {"name", name},
          {"description", "A request and its reply, " + name + "."},
          {"workload", "echo"},
          {"backends", report::Json::array({"openssl", "boringssl"})},
          {"quick", true},
          {"changed", report::Json::array({"measure.blocks"})},
          {"roles", {{"client", {{"backend", "backend"}}}}},
          {"measure", {{"blocks", {{"min", 10}, {"max", 10}}}, {"equivalence", "2%"}}},
          {"matrix", {{"traffic.message_size", report::Json::array({"1KiB", "16KiB"})}}}};
}

inline std::vector<report::BackendRecord> backends() {
  const std::string library = "/usr/lib/x86_64-linux-gnu/";
  report::BackendRecord openssl{"openssl", std::nullopt, "OpenSSL 3.0.17 1 Jul 2025", "compiler: gcc -O2", {}, {}, {}};
  openssl.files = {{library + "libssl.so.3", "0f3c91d2a1"}, {library + "libcrypto.so.3", "7aa1b2c3d4"}};
  report::BackendRecord variant{"openssl", "ossl35", "OpenSSL 3.5.0", "compiler: gcc -O3 -march=native", {}, {}, {}};
  variant.files = {{"/opt/openssl-3.5/lib/libssl.so.3", ""}};
  report::BackendRecord wolfssl{"wolfssl", std::nullopt, "5.5.4", "Debian", {}, {}, {}};
  wolfssl.warnings = {
      "this build has no hardware AES: its AES figures are far below those of the same library built with it"};
  return {openssl,
          variant,
          {"boringssl", std::nullopt, "BoringSSL", "", {}, {}, {}},
          wolfssl,
          {"plaintcp", std::nullopt, "Linux 6.1.0", "", {}, {}, {}}};
}

inline report::Threshold threshold(const std::string& backend, const std::string& expression,
                                   std::optional<double> value, std::optional<bool> held) {
  report::Threshold threshold;
  threshold.expr = expression;
  threshold.metric = "throughput";
  threshold.cell = "echo/message_size=1KiB";
  threshold.arm = threshold.backend = backend;
  threshold.value = value;
  threshold.held = held;
  if (!held) threshold.reason = "the arm failed";
  return threshold;
}

inline report::Result result() {
  report::Result result;
  result.complete = false;
  result.quick = true;
  result.version = "0.1.0";
  result.started = "2026-01-31T12:00:00Z";
  result.command = {"tlsrig", "run", "echo", "ciphers", "--quick", "-s", "tls.cipher=A B"};
  result.seed = 18446744073709551615u;
  result.machine = {{"processor", "AMD EPYC 7763 64-Core Processor"},
                    {"processor_flags", report::Json::array({"aes", "avx2"})},
                    {"processors", 2},
                    {"architecture", "x86_64"},
                    {"kernel", "Linux 6.1.0"},
                    {"load", "1.52 0.58 0.59 2/345 12345"},
                    {"descriptors", {{"soft", 1024}, {"hard", nullptr}}},
                    {"copy_alias", {{"memcpy_slowdown", 28.4}, {"socket_slowdown", 2.1}, {"affected", true}}}};
  result.scenarios = {{"echo", "scenarios/echo.toml", effective("echo")},
                      {"ciphers", "scenarios/ciphers.toml", effective("ciphers")}};
  result.backends = backends();
  result.cells = {echo_cell("1KiB", 140600), broken_cell(), cipher_cell("openssl", false),
                  cipher_cell("wolfssl", true)};
  result.thresholds = {threshold("boringssl", "low > 0.95", 1.0702, true),
                       threshold("wolfssl", "low > 0.9", 0.4157, false),
                       threshold("wolfssl", "low > 0.8", std::nullopt, std::nullopt)};
  return result;
}

// Two runs of one report.
inline report::Result of_two_runs() {
  report::Result both = result();
  both.command.clear();
  both.seed = 0;
  for (const std::string label : {"before", "after"}) {
    report::RunRecord run;
    run.label = label;
    run.complete = label == "before";
    run.version = "0.1.0";
    run.command = {"tlsrig", "run", "echo", "-o", label};
    run.seed = label == "before" ? 11 : 22;
    run.machine = {{"processor", "processor of " + label}};
    both.runs.push_back(std::move(run));
  }
  for (std::size_t index = 0; index < both.cells.size(); ++index)
    both.cells[index].run = index < 2 ? "before" : "after";
  return both;
}

// Everything that a plugin, a library or a scenario may have written, changed by `change`; equal strings stay equal, so
// that what refers to an id still finds it. Words of the rig's own (versions "none", verdicts, metrics, workloads)
// stay.
template <typename Change>
void change_json(report::Json& json, const Change& change) {
  if (json.is_string()) {
    json = change(json.get<std::string>());
  } else if (json.is_array()) {
    for (report::Json& element : json) change_json(element, change);
  } else if (json.is_object()) {
    report::Json changed = report::Json::object();
    for (const auto& item : json.items()) {
      report::Json value = item.value();
      change_json(value, change);
      changed[change(item.key())] = std::move(value);
    }
    json = std::move(changed);
  }
}

template <typename Change>
void change_map(auto& map, const Change& change) {
  std::remove_reference_t<decltype(map)> changed;
  for (const auto& [key, value] : map) changed[change(key)] = value;
  map = std::move(changed);
}

template <typename Change>
void change_arm(report::Arm& arm, const Change& change) {
  const auto maybe = [&](std::optional<std::string>& text) {
    if (text && *text != "none") text = change(*text);
  };
  arm.id = change(arm.id);
  arm.backend = change(arm.backend);
  arm.run = change(arm.run);
  for (auto* text :
       {&arm.variant, &arm.reason, &arm.proof.version, &arm.proof.cipher, &arm.proof.group, &arm.proof.signature})
    maybe(*text);
  for (auto& [field, source] : arm.proof.source) source = change(source);
  arm.proof.errors = {{change("timeout"), 3}};
  change_map(arm.proof.roles, change);
  for (report::Metric& metric : arm.metrics) {
    metric.unit = change(metric.unit);
    if (metric.name.starts_with("cpu_")) metric.name = change(metric.name);
  }
  for (report::Block& block : arm.blocks) {
    change_map(block.roles, change);
    for (std::string& flag : block.flags) flag = change(flag);
  }
}

template <typename Change>
void change_cell(report::Cell& cell, const Change& change) {
  for (std::string* text : {&cell.id, &cell.scenario, &cell.baseline, &cell.run, &cell.workload}) *text = change(*text);
  for (auto& [key, value] : cell.params) key = change(key), value = change(value);
  for (report::Arm& arm : cell.arms) change_arm(arm, change);
  for (report::Comparison& comparison : cell.comparisons)
    comparison.arm = change(comparison.arm), comparison.baseline = change(comparison.baseline);
}

template <typename Change>
report::Result changed(report::Result result, const Change& change) {
  result.version = change(result.version);
  result.started = change(result.started);
  for (std::string& argument : result.command) argument = change(argument);
  change_json(result.machine, change);
  for (report::Cell& cell : result.cells) change_cell(cell, change);
  for (report::ScenarioRecord& scenario : result.scenarios) {
    for (std::string* text : {&scenario.name, &scenario.file, &scenario.run}) *text = change(*text);
    change_json(scenario.effective, change);
  }
  for (report::BackendRecord& backend : result.backends) {
    for (std::string* text : {&backend.name, &backend.library, &backend.build, &backend.run}) *text = change(*text);
    if (backend.variant) backend.variant = change(*backend.variant);
    for (report::LibraryFile& file : backend.files)
      file.path = change(file.path), file.build_id = change(file.build_id);
    backend.warnings.push_back(change("a warning"));
  }
  for (report::Threshold& threshold : result.thresholds) {
    for (std::string* text : {&threshold.expr, &threshold.metric, &threshold.cell, &threshold.arm, &threshold.backend})
      *text = change(*text);
    threshold.reason = change("a reason");
  }
  for (report::RunRecord& run : result.runs) {
    for (std::string* text : {&run.label, &run.version, &run.started}) *text = change(*text);
    for (std::string& argument : run.command) argument = change(argument);
    change_json(run.machine, change);
  }
  return result;
}

}  // namespace html_sample
