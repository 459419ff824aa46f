// Cells made by hand beside those of report_sample.hpp: a pipe, whose relay is what is compared; a stream between a
// library under test and a fixed peer; an engine whose two sides are told apart.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tlsrig/report/words/counted.hpp>

#include "report_sample.hpp"

namespace sample {

struct Cost {
  std::string role;
  double user = 0, system = 0;  // seconds per operation
};

// An arm of a workload with these settings: `rate` operations of so many payload bytes per second.
inline report::Arm measured_arm(const std::string& id, const std::string& backend, report::Json settings, double rate,
                                double payload, const std::vector<Cost>& costs) {
  report::Arm result = arm(id, backend, rate);
  result.settings = std::move(settings);
  report::Block block;
  block.seconds = 0.2;
  block.operations = static_cast<std::uint64_t>(rate * block.seconds);
  block.histogram = nullptr;
  if (payload > 0) result.metrics.push_back(metric("payload_bytes_per_second", "B/s", "higher", rate * payload));
  for (const Cost& cost : costs) {
    const auto operations = static_cast<double>(block.operations);
    block.roles[cost.role] = {cost.user * operations, cost.system * operations, 1};
    result.metrics.push_back(metric("cpu_" + cost.role, "s/operation", "lower", cost.user + cost.system));
  }
  result.blocks.assign(8, block);
  for (report::Metric& each : result.metrics) each.description = report::metric_description(each.name, result.settings);
  return result;
}

inline report::Comparison compared_with(const std::string& baseline, const std::string& arm, const std::string& metric,
                                        double ratio, std::optional<std::string> verdict) {
  report::Comparison comparison = compared(arm, ratio, std::move(verdict));
  comparison.baseline = baseline;
  comparison.metric = metric;
  return comparison;
}

inline report::Json pipe_settings(const std::string& read, const std::string& backend) {
  return {{"workload", "pipe"},
          {"roles",
           {{"client", {{"backend", backend}, {"transport", "wire"}}},
            {"server", {{"backend", "plaintcp"}, {"transport", "fd"}}}}},
          {"relay",
           {{"backend", backend}, {"transport", "wire"}, {"inbound", "tls"}, {"outbound", "plain"}, {"read", read}}},
          {"traffic", {{"message_size", "2B"}, {"direction", "to-server"}, {"write", "batched"}}}};
}

inline report::Arm pipe_arm(const std::string& id, double rate, double relay_writes) {
  const std::string read = id.substr(0, id.find('#'));
  report::Arm result = measured_arm(id, "openssl", pipe_settings(read, "openssl"), rate, 2,
                                    {{"client", 0.5e-6, 0.1e-6},
                                     {"relay", 0.4e-6 + 0.1e-6 * relay_writes, 0.7e-6 * relay_writes},
                                     {"server", 0.02e-6, 0.3e-6 * relay_writes}});
  result.roles = {{"client", "openssl"}, {"relay", "openssl"}, {"server", "plaintcp"}};
  constexpr std::uint64_t messages = 1'000'000;
  const auto of = [](double each) { return static_cast<std::uint64_t>(each * messages); };
  //                                  records in, out, reads, writes, bytes in, out; operations of warm-up and slices
  result.proof.roles["client"] = {0, messages, 0, of(0.0041), 0, 31 * messages, messages, messages};
  result.proof.roles["relay_inbound"] = {messages, 0, of(0.0041), 0, 31 * messages, 0, messages, messages};
  result.proof.roles["relay_outbound"] = {0, 0, 0, of(relay_writes), 0, 2 * messages, messages, messages};
  result.proof.roles["server"] = {0, 0, of(relay_writes * 1.1), 0, 2 * messages, 0, messages, messages};
  return result;
}

// Two ways to read as arms. Its client is the busiest when the relay coalesces.
inline report::Cell pipe_cell() {
  report::Cell cell;
  cell.id = "secure-pair/message_size=2B/backend=openssl";
  cell.scenario = "secure-pair";
  cell.workload = "pipe";
  cell.params = {{"traffic.message_size", "2B"}, {"backend", "openssl"}};
  cell.baseline = "per-record";
  cell.arms = {pipe_arm("per-record", 750e3, 1), pipe_arm("per-record#2", 752e3, 1),
               pipe_arm("coalesce", 1.62e6, 0.0041)};
  cell.comparisons = {compared_with("per-record", "per-record#2", "throughput", 1.002, std::nullopt),
                      compared_with("per-record", "coalesce", "throughput", 2.16, "faster")};
  for (const auto& [side, ratio] : {std::pair{"client", 0.98}, std::pair{"relay", 0.336}, std::pair{"server", 0.07}})
    cell.comparisons.push_back(compared_with("per-record", "coalesce", std::string("cpu_") + side, ratio,
                                             ratio < 0.9 ? "faster" : "equivalent"));
  return cell;
}

inline report::Json stream_settings(const std::string& server, const std::string& direction) {
  return {{"workload", "stream"},
          {"roles",
           {{"client", {{"backend", server == "plaintcp" ? server : "openssl"}, {"transport", "wire"}}},
            {"server", {{"backend", server}, {"transport", "fd"}}}}},
          {"traffic", {{"message_size", "1KiB"}, {"direction", direction}, {"write", "per-message"}}}};
}

inline report::Arm stream_arm(const std::string& id, const std::string& direction, double rate, double server) {
  const std::string backend = id.substr(0, id.find('#'));
  report::Arm result = measured_arm(id, backend, stream_settings(backend, direction), rate, 1024,
                                    {{"client", 1.9e-6, 2.1e-6}, {"server", server, 1.0e-6}});
  result.roles = {{"client", backend == "plaintcp" ? backend : "openssl"}, {"server", backend}};
  return result;
}

// The client is openssl in every arm but plaintcp's, and busier than two of the servers.
inline report::Cell stream_cell(const std::string& direction = "to-server") {
  report::Cell cell;
  cell.id = "stream/direction=" + direction;
  cell.scenario = cell.workload = "stream";
  cell.params = {{"traffic.direction", direction}};
  cell.baseline = "openssl";
  cell.arms = {stream_arm("openssl", direction, 240e3, 1.4e-6), stream_arm("openssl#2", direction, 240e3, 1.4e-6),
               stream_arm("boringssl", direction, 246e3, 1.1e-6), stream_arm("wolfssl", direction, 130e3, 6.5e-6),
               stream_arm("plaintcp", direction, 500e3, 0.2e-6)};
  cell.comparisons = {compared("openssl#2", 1.001, std::nullopt), compared("boringssl", 1.025, "faster"),
                      compared("wolfssl", 0.541, "slower"), compared("plaintcp", 2.08, std::nullopt)};
  return cell;
}

// A handshake of a client and a server, which are told apart.
inline report::Cell split_cell(const std::string& operation = "handshake") {
  report::Cell cell;
  cell.id = "engine/operation=" + operation;
  cell.scenario = cell.workload = "engine";
  cell.params = {{"engine.operation", operation}};
  cell.baseline = "openssl";
  const auto arm_of = [&](const std::string& id, double client, double server) {
    const std::string backend = id.substr(0, id.find('#'));
    const report::Json settings = {{"workload", "engine"}, {"engine", {{"operation", operation}}}};
    report::Arm result = measured_arm(id, backend, settings, 1 / (client + server), 0,
                                      {{"client", client, 0}, {"engine", client + server, 0}, {"server", server, 0}});
    result.roles = {{"client", backend}, {"server", backend}};
    return result;
  };
  cell.arms = {arm_of("openssl", 310e-6, 160e-6), arm_of("openssl#2", 311e-6, 160e-6),
               arm_of("boringssl", 230e-6, 120e-6)};
  cell.comparisons = {compared("openssl#2", 0.998, std::nullopt), compared("boringssl", 1.343, "faster")};
  for (const auto& [side, ratio] : {std::pair{"client", 0.742}, std::pair{"engine", 0.745}, std::pair{"server", 0.75}})
    cell.comparisons.push_back(compared_with("openssl", "boringssl", std::string("cpu_") + side, ratio, "faster"));
  return cell;
}

// A scenario of theirs, as far as reports look at it.
inline report::ScenarioRecord scenario_of(const report::Cell& cell, const std::string& client,
                                          const std::string& server) {
  return {cell.scenario,
          cell.scenario + ".toml",
          {{"name", cell.scenario},
           {"workload", cell.workload},
           {"roles", {{"client", {{"backend", client}}}, {"server", {{"backend", server}}}}}}};
}

}  // namespace sample
