// Medians, intervals and percentiles of blocks.
#include <tlsrig/judge/metrics.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/measure/histogram.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/stats/median.hpp>

namespace tlsrig::judge {

namespace {

// Payload bytes that one operation moves: a round trip counts both ways; a handshake, a context or a session moves
// none.
std::uint64_t payload_bytes(const scenario::Settings& settings) {
  if (settings.workload == scenario::Workload::echo) return settings.traffic.message_size + settings.traffic.reply_size;
  if (scenario::is_one_way(settings.workload)) return settings.traffic.message_size;
  const bool messages =
      settings.workload == scenario::Workload::engine && scenario::moves_payload(settings.engine.operation);
  return messages ? settings.engine.message_size : 0;
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

struct Percentile {
  std::string_view name;
  double quantile;
};

constexpr std::array<Percentile, 3> percentiles{
    {{"service_time_p50", 0.5}, {"service_time_p99", 0.99}, {"service_time_p999", 0.999}}};

measure::Histogram histogram_of(const report::Block& block) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> buckets;
  if (block.histogram.is_array())
    for (const auto& bucket : block.histogram)
      buckets.emplace_back(bucket.at(0).get<std::int64_t>(), bucket.at(1).get<std::uint64_t>());
  return measure::Histogram::from_sparse(buckets);
}

double seconds_at(const measure::Histogram& histogram, double quantile) {
  return static_cast<double>(histogram.quantile_ns(quantile)) / 1e9;
}

// One per block; none at all when a single block has too few samples: a part of the blocks would stand for all, and it
// would be the fast part.
std::vector<double> block_percentiles(const report::Arm& arm, const Percentile& percentile) {
  std::vector<double> values;
  for (const auto& block : arm.blocks) {
    const measure::Histogram histogram = histogram_of(block);
    if (!measure::enough_samples(histogram.count(), percentile.quantile)) return {};
    values.push_back(seconds_at(histogram, percentile.quantile));
  }
  return values;
}

// The interval is that of the blocks' own percentiles. The value is that of all their durations together, which need
// not lie within it: a disturbed block weighs in the tail of all as much as it has durations there. Then it is widened.
void add_service_times(const report::Arm& arm, std::vector<report::Metric>& metrics) {
  measure::Histogram all;
  for (const auto& block : arm.blocks) all.merge(histogram_of(block));
  if (all.count() == 0) return;
  for (const auto& percentile : percentiles) {
    report::Metric metric{std::string(percentile.name), "s", "lower", {}, {}, {}, all.count()};
    if (measure::enough_samples(all.count(), percentile.quantile)) {
      const double value = seconds_at(all, percentile.quantile);
      metric.value = value;
      const auto values = block_percentiles(arm, percentile);
      if (const auto interval = values.empty() ? std::nullopt : stats::median_estimate(values).interval) {
        metric.low = std::min(interval->low, value);
        metric.high = std::max(interval->high, value);
      }
    }
    metrics.push_back(std::move(metric));
  }
}

}  // namespace

std::vector<double> block_values(const report::Arm& arm, const std::string& name, const scenario::Settings& settings) {
  for (const auto& percentile : percentiles)
    if (name == percentile.name) return block_percentiles(arm, percentile);
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
    for (const auto* role : report::in_path_order(arm.blocks.front().roles))
      add("cpu_" + role->first, "s/operation", "lower");
  const report::Json told = scenario::to_json(settings);
  for (report::Metric& metric : metrics) metric.description = report::metric_description(metric.name, told);
  return metrics;
}

}  // namespace tlsrig::judge
