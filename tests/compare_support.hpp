// Results of simulated runs: consistent in themselves, as a run would have left them.
#pragma once

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace simulated {

namespace report = tlsrig::report;
namespace judge = tlsrig::judge;
namespace scenario = tlsrig::scenario;

struct Run {
  double noise = 0.01;  // standard deviation of each arm's own log throughput in a block
  double drift = 0.02;  // that of the machine's step from block to block, shared by the arms
  double machine = 1;   // how fast the machine was that day
  std::size_t blocks = 8;
  bool durations = false;  // 2,000 a block, so that p50 and p99 can be told of each
  std::map<std::string, double> rates{
      {"openssl", 90'000}, {"openssl#2", 90'000}, {"wolfssl", 40'000}, {"plaintcp", 150'000}};
  std::string workload = "echo", baseline = "openssl";
  std::vector<std::string> cells{"small/message_size=1KiB"};
};

inline scenario::Settings settings_of(const Run& run, const std::string& backend) {
  scenario::Settings settings;
  settings.workload = run.workload == "engine" ? scenario::Workload::engine : scenario::Workload::echo;
  settings.client.backend = settings.server.backend = backend;
  settings.tls.cipher = "TLS_AES_128_GCM_SHA256";
  return settings;
}

inline report::Arm arm_of(const Run& run, const std::string& id) {
  report::Arm arm;
  arm.id = id;
  arm.twin = id.ends_with("#2");
  arm.backend = arm.twin ? id.substr(0, id.size() - 2) : id;
  arm.settings = scenario::to_json(settings_of(run, arm.backend));
  arm.roles = {{"client", arm.backend}, {"server", arm.backend}};
  arm.status = report::Status::ok;
  arm.proof.version = id == "plaintcp" ? "none" : "1.3";
  return arm;
}

inline report::Block block_of(const Run& run, double rate, double cpu_noise) {
  report::Block block;
  block.seconds = 1;
  block.operations = static_cast<std::uint64_t>(rate);
  const double operations = static_cast<double>(block.operations);
  if (run.workload == "engine") {
    block.roles["engine"] = {0.99, 0.0, 1};
  } else {
    block.roles["client"] = {0.5 * cpu_noise, 0.4 * cpu_noise, 1};
    block.roles["server"] = {0.9, 0.0, 1};
  }
  if (run.durations) {
    const auto typical = static_cast<std::int64_t>(8e9 / operations);
    block.histogram =
        report::Json::array({report::Json::array({typical, 1900}), report::Json::array({3 * typical, 100})});
  }
  return block;
}

inline report::Cell cell_of(const Run& run, const std::string& id, std::mt19937_64& random) {
  report::Cell cell;
  cell.id = id;
  cell.scenario = "small";
  cell.workload = run.workload;
  cell.baseline = run.baseline;
  for (const auto& [name, rate] : run.rates) cell.arms.push_back(arm_of(run, name));
  std::normal_distribution<double> normal(0, 1);
  double machine = std::log(run.machine);
  for (std::size_t block = 0; block < run.blocks; ++block) {
    machine += run.drift * normal(random);
    for (report::Arm& arm : cell.arms)
      arm.blocks.push_back(block_of(run, run.rates.at(arm.id) * std::exp(machine + run.noise * normal(random)),
                                    std::exp(run.noise * normal(random))));
  }
  for (report::Arm& arm : cell.arms) arm.metrics = judge::metrics_of(arm, settings_of(run, arm.backend));
  judge::compare_arms(cell, settings_of(run, run.baseline));
  return cell;
}

inline report::Result result_of(const Run& run, std::mt19937_64& random) {
  report::Result result;
  result.complete = true;
  result.version = "0.1.0";
  result.command = {"tlsrig", "run", "small.toml"};
  result.seed = 7;
  result.machine = {{"processor", "Some Processor 7"}, {"processors", 2},         {"processor_flags", {"aes", "avx2"}},
                    {"architecture", "x86_64"},        {"kernel", "Linux 6.1.0"}, {"c_library", "glibc 2.36"}};
  result.scenarios = {{"small", "small.toml", {{"schema", 1}, {"name", "small"}}, {}}};
  for (const std::string& id : run.cells) result.cells.push_back(cell_of(run, id, random));
  return result;
}

inline report::Result result_of(const Run& run, unsigned seed) {
  std::mt19937_64 random(seed);
  return result_of(run, random);
}

// Ends an arm without a number, as the rig would.
inline void end_arm(report::Result& result, const std::string& id, report::Status status, const std::string& reason) {
  for (report::Cell& cell : result.cells) {
    for (report::Arm& arm : cell.arms) {
      if (arm.id != id) continue;
      arm.status = status;
      arm.reason = reason;
      arm.metrics.clear();
    }
    std::erase_if(cell.comparisons, [&](const auto& one) { return one.arm == id || one.baseline == id; });
  }
}

}  // namespace simulated
