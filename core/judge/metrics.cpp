// Medians, intervals and percentiles of blocks.
#include <tlsrig/judge/metrics.hpp>

#include <array>

#include <fmt/format.h>

#include <tlsrig/measure/histogram.hpp>
#include <tlsrig/stats/median.hpp>

namespace tlsrig::judge {

namespace {

// Payload bytes that one operation moves: a round trip counts both ways; a handshake moves none.
std::uint64_t payload_bytes(const scenario::Settings& settings) {
  using scenario::Operation;
  if (settings.workload == scenario::Workload::echo) return settings.traffic.message_size + settings.traffic.reply_size;
  switch (settings.engine.operation) {
    case Operation::wrap:
    case Operation::unwrap:
    case Operation::wrap_unwrap:
      return settings.engine.message_size;
    default:
      return 0;
  }
}

report::Metric median_metric(const std::string& name, const char* unit, const char* better,
                             const std::vector<double>& values) {
  report::Metric metric{name, unit, better, {}, {}, {}, values.size()};
  if (values.empty()) return metric;
  const stats::Estimate estimate = stats::median_estimate(values);
  metric.value = estimate.value;
  if (estimate.interval) {
    metric.low = estimate.interval->low;
    metric.high = estimate.interval->high;
  }
  return metric;
}

// Percentiles of all blocks' durations together: one block alone seldom has the samples that a high one needs.
void add_service_times(const report::Arm& arm, std::vector<report::Metric>& metrics) {
  measure::Histogram all;
  for (const auto& block : arm.blocks) {
    if (!block.histogram.is_array()) continue;
    std::vector<std::pair<std::int64_t, std::uint64_t>> buckets;
    for (const auto& bucket : block.histogram)
      buckets.emplace_back(bucket.at(0).get<std::int64_t>(), bucket.at(1).get<std::uint64_t>());
    all.merge(measure::Histogram::from_sparse(buckets));
  }
  if (all.count() == 0) return;
  struct Percentile {
    const char* name;
    double quantile;
  };
  for (const auto& [name, quantile] : std::array<Percentile, 3>{{{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}}}) {
    report::Metric metric{fmt::format("service_time_{}", name), "s", "lower", {}, {}, {}, all.count()};
    if (measure::enough_samples(all.count(), quantile))
      metric.value = static_cast<double>(all.quantile_ns(quantile)) / 1e9;
    metrics.push_back(std::move(metric));
  }
}

}  // namespace

std::vector<double> block_values(const report::Arm& arm, const std::string& name, const scenario::Settings& settings) {
  std::vector<double> values;
  for (const auto& block : arm.blocks) {
    const auto operations = static_cast<double>(block.operations);
    const double rate = operations / block.seconds;
    if (name == "throughput")
      values.push_back(rate);
    else if (name == "payload_bytes_per_second")
      values.push_back(rate * static_cast<double>(payload_bytes(settings)));
    else if (const auto role = block.roles.find(name.substr(4)); name.starts_with("cpu_") && role != block.roles.end())
      values.push_back((role->second.cpu_user + role->second.cpu_system) / operations);
  }
  return values;
}

std::vector<report::Metric> metrics_of(const report::Arm& arm, const scenario::Settings& settings) {
  std::vector<report::Metric> metrics;
  const auto add = [&](const std::string& name, const char* unit, const char* better) {
    metrics.push_back(median_metric(name, unit, better, block_values(arm, name, settings)));
  };
  add("throughput", "operations/s", "higher");
  if (payload_bytes(settings)) add("payload_bytes_per_second", "B/s", "higher");
  add_service_times(arm, metrics);
  if (!arm.blocks.empty())
    for (const auto& [role, use] : arm.blocks.front().roles) add("cpu_" + role, "s/operation", "lower");
  return metrics;
}

}  // namespace tlsrig::judge
