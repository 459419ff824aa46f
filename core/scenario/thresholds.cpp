// Reading [thresholds]: tables with a backend or an arm, a metric and an expression.
#include <tlsrig/scenario/thresholds.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

const std::vector<std::string> members{"backend", "arm", "cell", "metric", "expr"};

// In the order of the enumeration.
constexpr std::array<std::string_view, 4> kind_names{"ratio", "percentile", "rate", "bytes"};

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The kinds that have a metric, as keys.
std::vector<std::string> kinds_with(std::string_view metric, Workload workload) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (holds(threshold_metrics(static_cast<ThresholdKind>(i), workload), metric)) {
      keys.push_back(join("thresholds", kind_names[i]));
    }
  }
  return keys;
}

// Why a threshold of this kind cannot be about the metric; empty: it can.
std::string metric_fault(ThresholdKind kind, const std::string& metric, Workload workload) {
  const auto allowed = threshold_metrics(kind, workload);
  if (holds(allowed, metric)) {
    return {};
  }
  if (metric == "bytes_per_connection" || metric == "idle_cpu") {
    return fmt::format("\"{}\" is a metric of the workload idle, which is not offered by this version", metric);
  }
  if (metric.starts_with("response_time_")) {
    return fmt::format("\"{}\" is a metric of an open loop (traffic.rate), which is not offered by this version",
                       metric);
  }
  if (kind == ThresholdKind::ratio && metric == "payload_bytes_per_second") {
    return "the ratio of payload_bytes_per_second is that of throughput: write metric = \"throughput\"";
  }
  if (allowed.empty()) {
    return fmt::format("the workload {} gives no percentiles: its operations are too short to be timed one by one",
                       workload_name(workload));
  }
  if (const auto elsewhere = kinds_with(metric, workload); !elsewhere.empty()) {
    return fmt::format("\"{}\" has no place here; it belongs in {}; allowed here: {}", metric,
                       elsewhere.size() == 1 ? elsewhere[0] : elsewhere[0] + " or " + elsewhere[1],
                       quoted_list(allowed));
  }
  return fmt::format("found \"{}\"; the workload {} gives for this: {}{}", metric, workload_name(workload),
                     quoted_list(allowed), did_you_mean(metric, allowed));
}

}  // namespace

std::string_view threshold_kind_name(ThresholdKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

ThresholdKind threshold_kind(std::string_view name) {
  return static_cast<ThresholdKind>(std::find(kind_names.begin(), kind_names.end(), name) - kind_names.begin());
}

void Collector::take_thresholds(const Key& key, const Raw& raw) {
  const ThresholdKind kind = threshold_kind(last_part(key.path));
  std::erase_if(draft_.thresholds, [&](const ThresholdDraft& other) { return other.kind == kind; });
  if (raw.kind != Kind::list) {
    return fault(raw.place, key.path, refusal(key, raw, &known_));
  }
  for (const Raw& item : raw.items) {
    if (item.kind != Kind::table) {
      fault(item.place, key.path, refusal(key, item, &known_));
      continue;
    }
    for (const Member& member : item.members) {
      if (!holds(members, member.name)) {
        fault(member.place, join(key.path, member.name),
              fmt::format("unknown key; known here: {}{}", quoted_list(members), did_you_mean(member.name, members)));
      }
    }
    take_threshold(key, kind, item);
  }
}

void Collector::take_threshold(const Key& key, ThresholdKind kind, const Raw& table) {
  ThresholdDraft threshold;
  threshold.kind = kind;
  threshold.place = table.place;
  bool good = true;
  const auto refuse = [&](const Place& place, std::string_view name, std::string message) {
    fault(place, join(key.path, name), std::move(message));
    good = false;
  };
  for (const Member& member : table.members) {
    if (!holds(members, member.name)) {
      good = false;
    } else if (member.value.kind != Kind::string || member.value.text.empty()) {
      refuse(member.value.place, member.name, fmt::format("found {}; needed: a string", found_text(member.value)));
    } else {
      threshold.said[member.name] = member.value.text;
      threshold.places[member.name] = member.value.place;
    }
  }
  for (const char* needed : {"metric", "expr"}) {
    if (table.find(needed) == nullptr) {
      refuse(table.place, needed, "missing; a threshold has backend (or arm), metric and expr");
    }
  }
  if (table.find("backend") == nullptr && table.find("arm") == nullptr) {
    refuse(table.place, "backend", "missing; a threshold has backend (or arm), metric and expr");
  }
  if (const auto said = threshold.said.find("backend");
      said != threshold.said.end() && !holds(known_.names, said->second)) {
    const bool twin = said->second.ends_with("#2");
    refuse(threshold.places["backend"], "backend",
           twin ? fmt::format("\"{}\" is the baseline once more, for the A/A check; there is nothing to demand of it",
                              said->second)
                : fmt::format("found \"{}\"; allowed: {}{}", said->second, quoted_list(known_.names),
                              did_you_mean(said->second, known_.names)));
  }
  if (const auto said = threshold.said.find("metric"); said != threshold.said.end() && draft_.workload) {
    if (std::string message = metric_fault(kind, said->second, *draft_.workload); !message.empty()) {
      refuse(threshold.places["metric"], "metric", std::move(message));
    }
  }
  if (const auto said = threshold.said.find("expr"); said != threshold.said.end()) {
    ParsedExpression parsed = parse_expression(kind, said->second);
    if (!parsed.expression) {
      refuse(threshold.places["expr"], "expr", std::move(parsed.fault));
    }
  }
  if (good) {
    draft_.thresholds.push_back(std::move(threshold));
  }
}

nlohmann::ordered_json thresholds_json(const Draft& draft) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const ThresholdDraft& threshold : draft.thresholds) {
    nlohmann::ordered_json table = nlohmann::ordered_json::object();
    for (const std::string& name : members) {
      if (const auto said = threshold.said.find(name); said != threshold.said.end()) {
        table[name] = said->second;
      }
    }
    json[std::string(threshold_kind_name(threshold.kind))].push_back(std::move(table));
  }
  return json;
}

}  // namespace tlsrig::scenario
