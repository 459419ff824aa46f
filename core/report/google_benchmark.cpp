// The result as Google Benchmark writes its own, for tools that read that: compare.py and dashboards.
//
// Their reader pairs entries by name and takes every time as one of its own kind, so an arm without a number is left
// out: a zero would stand in their comparison as a time. It is named in the context instead.
#include <cmath>
#include <numeric>
#include <vector>

#include <tlsrig/report/render.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/median.hpp>

namespace tlsrig::report {
namespace {

using Values = std::vector<double>;

// What the blocks of an arm gave, a value per block.
struct Series {
  Values real_time, cpu_time;                 // ns per operation
  Values items_per_second, bytes_per_second;  // bytes: empty for a workload that moves none
  std::vector<std::uint64_t> iterations;
};

// Of all sides together; 0 where no CPU time was measured, as the reader needs a number. An engine is its sides' sum.
double cpu_seconds(const Block& block) {
  const bool has_sum = block.roles.contains("engine");
  double seconds = 0;
  for (const auto& [role, use] : block.roles)
    if (!has_sum || role == "engine") seconds += use.cpu_user + use.cpu_system;
  return seconds;
}

// Payload bytes that one operation moves: the same in every block.
double bytes_per_operation(const Arm& arm) {
  const Metric* bytes = find_metric(arm, "payload_bytes_per_second");
  const Metric* rate = find_metric(arm, "throughput");
  const bool known = bytes != nullptr && rate != nullptr && bytes->value && rate->value && *rate->value > 0;
  return known ? std::round(*bytes->value / *rate->value) : 0;
}

Series series_of(const Arm& arm) {
  Series series;
  const double bytes = bytes_per_operation(arm);
  for (const Block& block : arm.blocks) {
    if (block.operations == 0 || !(block.seconds > 0)) continue;
    const auto operations = static_cast<double>(block.operations);
    series.iterations.push_back(block.operations);
    series.real_time.push_back(block.seconds * 1e9 / operations);
    series.cpu_time.push_back(cpu_seconds(block) * 1e9 / operations);
    series.items_per_second.push_back(operations / block.seconds);
    if (bytes > 0) series.bytes_per_second.push_back(bytes * operations / block.seconds);
  }
  return series;
}

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(const Values& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double variation(const Values& values) { return standard_deviation(values) / mean(values); }

struct Aggregate {
  const char *name, *unit;
  double (*of)(const Values&);
};

constexpr Aggregate aggregates[] = {{"mean", "time", mean},
                                    {"median", "time", [](const Values& values) { return stats::median(values); }},
                                    {"stddev", "time", standard_deviation},
                                    {"cv", "percentage", variation}};

// Where an entry belongs, in the reader's terms: a family is a cell, its instances are the arms.
struct Identity {
  std::string name;
  std::size_t family, instance, repetitions;
  std::string label;  // what an iteration is
};

Json entry_start(const Identity& identity, const std::string& name, const char* kind) {
  return {{"name", name},
          {"family_index", identity.family},
          {"per_family_instance_index", identity.instance},
          {"run_name", identity.name},
          {"run_type", kind},
          {"repetitions", identity.repetitions}};
}

// Their reader's own field for a remark on an entry.
void add_label(const Identity& identity, Json& entry) {
  if (!identity.label.empty()) entry["label"] = identity.label;
}

Json iteration(const Identity& identity, const Series& series, std::size_t index) {
  Json entry = entry_start(identity, identity.name, "iteration");
  entry["repetition_index"] = index;
  entry["threads"] = 1;
  entry["iterations"] = series.iterations[index];
  entry["real_time"] = series.real_time[index];
  entry["cpu_time"] = series.cpu_time[index];
  entry["time_unit"] = "ns";
  if (!series.bytes_per_second.empty()) entry["bytes_per_second"] = series.bytes_per_second[index];
  entry["items_per_second"] = series.items_per_second[index];
  add_label(identity, entry);
  return entry;
}

Json aggregate_entry(const Identity& identity, const Series& series, const Aggregate& aggregate) {
  const auto value = [&](const Values& values) {
    const double result = aggregate.of(values);
    return std::isfinite(result) ? result : 0;  // the variation of zeros
  };
  Json entry = entry_start(identity, identity.name + "_" + aggregate.name, "aggregate");
  entry["threads"] = 1;
  entry["aggregate_name"] = aggregate.name;
  entry["aggregate_unit"] = aggregate.unit;
  entry["iterations"] = series.iterations.size();
  entry["real_time"] = value(series.real_time);
  entry["cpu_time"] = value(series.cpu_time);
  entry["time_unit"] = "ns";
  if (!series.bytes_per_second.empty()) entry["bytes_per_second"] = value(series.bytes_per_second);
  entry["items_per_second"] = value(series.items_per_second);
  add_label(identity, entry);
  return entry;
}

Json context_of(const Result& result, Json left_out) {
  Json context = Json::object();
  if (!result.started.empty()) context["date"] = result.started;
  if (!result.command.empty()) context["executable"] = result.command.front();
  if (result.machine.is_object() && result.machine.contains("processors"))
    context["num_cpus"] = result.machine["processors"];
  context["tlsrig_version"] = result.version;
  context["tlsrig_complete"] = result.complete;
  context["tlsrig_quick"] = result.quick;
  context["tlsrig_left_out"] = std::move(left_out);
  return context;
}

}  // namespace

std::string to_google_benchmark(const Result& result) {
  Json benchmarks = Json::array(), left_out = Json::array();
  for (std::size_t family = 0; family < result.cells.size(); ++family) {
    const Cell& cell = result.cells[family];
    for (std::size_t instance = 0; instance < cell.arms.size(); ++instance) {
      const Arm& arm = cell.arms[instance];
      const Series series = arm.status == Status::ok ? series_of(arm) : Series{};
      const Identity identity{(cell.run.empty() ? "" : cell.run + "/") + cell.id + "/" + arm.id, family, instance,
                              series.iterations.size(), counted_words(cell, arm)};
      if (series.iterations.empty()) {
        left_out.push_back(identity.name + ": " + status_words(arm));
        continue;
      }
      for (std::size_t index = 0; index < series.iterations.size(); ++index)
        benchmarks.push_back(iteration(identity, series, index));
      if (series.iterations.size() < 2) continue;
      for (const Aggregate& aggregate : aggregates) benchmarks.push_back(aggregate_entry(identity, series, aggregate));
    }
  }
  const Json document = {{"context", context_of(result, std::move(left_out))}, {"benchmarks", std::move(benchmarks)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tlsrig::report
