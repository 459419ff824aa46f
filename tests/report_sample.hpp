// A result made by hand: two cells of five arms, one arm failed, one unsupported.
#pragma once

#include <tlsrig/report/model.hpp>

namespace sample {

namespace report = tlsrig::report;

inline report::Metric metric(const std::string& name, const std::string& unit, const std::string& better, double value,
                             double spread = 0.007, std::uint64_t n = 8) {
  return {name, unit, better, value, value * (1 - spread), value * (1 + spread), n};
}

inline report::Arm arm(const std::string& id, const std::string& backend, double throughput) {
  report::Arm arm;
  arm.id = id;
  arm.backend = backend;
  arm.twin = id.ends_with("#2");
  arm.status = report::Status::ok;
  arm.metrics = {metric("throughput", "operations/s", "higher", throughput)};
  arm.proof.connections_asked = arm.proof.connections_achieved = 16;
  arm.proof.bytes_verified = 123456789;
  if (backend == "plaintcp") {
    arm.proof.version = "none";
  } else {
    arm.proof.version = "1.3";
    arm.proof.cipher = "TLS_AES_128_GCM_SHA256";
    arm.proof.group = "x25519";
    arm.proof.peer_verified = true;
    arm.proof.source = {{"version", "wire"}, {"cipher", "wire"}, {"peer_verified", "library"}};
  }
  return arm;
}

inline report::Arm without_number(const std::string& id, report::Status status, const std::string& reason) {
  report::Arm result = arm(id, id, 999999);  // a number that must not be seen anywhere
  result.status = status;
  result.reason = reason;
  return result;
}

inline void add_echo_metrics(report::Arm& arm, double client, double server, double p50) {
  arm.roles = {{"client", arm.backend}, {"server", arm.backend}};
  arm.metrics.push_back(metric("payload_bytes_per_second", "B/s", "higher", *arm.metrics[0].value * 2048));
  arm.metrics.push_back(metric("cpu_client", "s", "lower", client));
  arm.metrics.push_back(metric("cpu_server", "s", "lower", server));
  arm.metrics.push_back(metric("service_time_p50", "s", "lower", p50, 0.01, 1'200'000));
  arm.metrics.push_back(metric("service_time_p99", "s", "lower", p50 * 1.8, 0.03, 1'200'000));
  arm.metrics.push_back({"service_time_p999", "s", "lower", std::nullopt, std::nullopt, std::nullopt, 1'200'000});
  report::Block block;
  block.order = 1;
  block.seconds = 0.2;
  block.operations = 30000;
  block.roles = {{"client", {0.1, 0.08, 3}}, {"server", {0.09, 0.1, 2}}};
  block.histogram = report::Json::array({report::Json::array({104000, 15000}), report::Json::array({105000, 15000})});
  block.layout = {{"client", 64}, {"server", 128}};
  arm.blocks.assign(8, block);
}

inline report::Comparison compared(const std::string& arm, double ratio, std::optional<std::string> verdict) {
  return {arm, "openssl", "throughput",       ratio,       ratio / 1.012, ratio * 1.012,
          8,   0.021,     std::move(verdict), std::nullopt};
}

inline report::Cell echo_cell() {
  report::Cell cell;
  cell.id = "echo/message_size=1KiB";
  cell.scenario = cell.workload = "echo";
  cell.params = {{"traffic.message_size", "1KiB"}};
  cell.baseline = "openssl";
  cell.arms = {arm("openssl", "openssl", 140600), arm("openssl#2", "openssl", 140900),
               arm("boringssl", "boringssl", 152300),
               without_number("wolfssl", report::Status::failed,
                              "the wire shows TLS_AES_256_GCM_SHA384, the scenario asks for TLS_AES_128_GCM_SHA256"),
               arm("plaintcp", "plaintcp", 301000)};
  add_echo_metrics(cell.arms[0], 3.41e-6, 3.62e-6, 113.5e-6);
  add_echo_metrics(cell.arms[1], 3.40e-6, 3.63e-6, 113.2e-6);
  add_echo_metrics(cell.arms[2], 3.21e-6, 3.30e-6, 104.9e-6);
  add_echo_metrics(cell.arms[4], 1.51e-6, 1.62e-6, 52.9e-6);
  cell.arms[0].blocks[3].flags = {"steal"};
  cell.comparisons = {compared("openssl#2", 1.002, std::nullopt), compared("boringssl", 1.083, "faster"),
                      compared("wolfssl", 7.113, "faster"), compared("plaintcp", 2.141, std::nullopt)};
  return cell;
}

inline report::Cell engine_cell() {
  report::Cell cell;
  cell.id = "engine/operation=wrap/message_size=16KiB";
  cell.scenario = cell.workload = "engine";
  cell.params = {{"engine.operation", "wrap"}, {"engine.message_size", "16KiB"}};
  cell.baseline = "openssl";
  cell.arms = {arm("openssl", "openssl", 171630), arm("wolfssl", "wolfssl", 5310), arm("openssl#2", "openssl", 171200),
               without_number("boringssl", report::Status::unsupported,
                              "this build of BoringSSL cannot choose a TLS 1.3 cipher suite, and the one it negotiates "
                              "(TLS_AES_128_GCM_SHA256) is not the one asked (TLS_CHACHA20_POLY1305_SHA256)"),
               arm("plaintcp", "plaintcp", 2410000)};
  for (report::Arm& each : cell.arms) {
    const double rate = each.metrics[0].value.value();
    each.metrics.push_back(metric("payload_bytes_per_second", "B/s", "higher", rate * 16384));
    each.metrics.push_back(metric("cpu_engine", "s", "lower", 1 / rate));
  }
  cell.comparisons = {compared("openssl#2", 0.998, std::nullopt), compared("wolfssl", 0.03094, "slower"),
                      compared("plaintcp", 14.04, std::nullopt)};
  return cell;
}

inline report::Result result() {
  report::Result result;
  result.complete = true;
  result.version = "0.1.0";
  result.command = {"tlsrig", "run", "scenarios/quick-echo.toml", "-s", "tls.cipher=A B"};
  result.seed = 18446744073709551615u;
  result.machine = {{"cpu", "AMD EPYC 7763 64-Core Processor"},
                    {"cpus", 2},
                    {"flags", report::Json::array({"aes", "avx2"})},
                    {"kernel", "Linux 6.1.0"},
                    {"limits", {{"nofile", 1024}}},
                    {"steal", nullptr}};
  result.scenarios = {{"echo", "scenarios/quick-echo.toml", {{"schema", 1}, {"name", "echo"}}}};
  const std::string library = "/usr/lib/x86_64-linux-gnu/";
  result.backends = {{"openssl",
                      std::nullopt,
                      "OpenSSL 3.0.17 1 Jul 2025",
                      "compiler: gcc -fPIC -pthread -m64 -Wa,--noexecstack -Wall "
                      "-O2 -DOPENSSL_USE_NODELETE -DL_ENDIAN -DOPENSSL_PIC -DOPENSSL_BUILDING_OPENSSL",
                      "OPENSSL_ia32cap=0xfefa3203578bffff",
                      {{library + "libssl.so.3", "0f3c91d2a1"}, {library + "libcrypto.so.3", "7aa1b2c3d4"}},
                      {}},
                     {"boringssl", std::nullopt, "BoringSSL", "", "", {{library + "android/libssl.so.0", ""}}, {}},
                     {"wolfssl",
                      std::nullopt,
                      "5.5.4",
                      "Debian",
                      "",
                      {{library + "libwolfssl.so.35", "99aa"}},
                      {"built without hardware AES: AES-GCM runs at about a thirtieth of the speed this CPU can give"}},
                     {"plaintcp", std::nullopt, "plaintcp 0.1.0", "", "", {}, {}}};
  result.cells = {echo_cell(), engine_cell()};
  return result;
}

}  // namespace sample
