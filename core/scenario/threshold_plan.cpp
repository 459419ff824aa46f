// Which arms each threshold is about.
#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/thresholds.hpp>

namespace tlsrig::scenario {
namespace {

std::string said(const ThresholdDraft& threshold, const char* name) {
  const auto at = threshold.said.find(name);
  return at == threshold.said.end() ? std::string{} : at->second;
}

// A handshake moves no payload, and without a relay there is none that could be measured.
bool gives(const std::string& metric, const Settings& settings) {
  if (metric == "cpu_relay") {
    return settings.relay.present;
  }
  return metric != "payload_bytes_per_second" || settings.workload != Workload::engine ||
         moves_payload(settings.engine.operation);
}

struct Laid {
  std::vector<ThresholdPlan::Target> targets;
  bool any = false, baseline = false;
};

Laid lay(const ThresholdDraft& threshold, const std::vector<CellPlan>& cells) {
  const std::string backend = said(threshold, "backend"), arm = said(threshold, "arm"), part = said(threshold, "cell"),
                    metric = said(threshold, "metric");
  Laid laid;
  for (const CellPlan& cell : cells) {
    if (cell.id.find(part) == std::string::npos) {
      continue;
    }
    for (const ArmPlan& one : cell.arms) {
      if (one.twin || (!backend.empty() && one.backend != backend) || (!arm.empty() && one.id != arm)) {
        continue;
      }
      laid.any = true;
      if (threshold.kind == ThresholdKind::ratio && one.id == cell.baseline) {
        laid.baseline = true;
      } else if (gives(metric, one.settings)) {
        laid.targets.push_back({cell.id, one.id, one.backend});
      }
    }
  }
  return laid;
}

// What a flag took away from the file's threshold: it is not there, and that is no fault.
bool left_out(const ThresholdDraft& threshold, const Draft& draft, const Overrides& overrides) {
  const std::string backend = said(threshold, "backend");
  const auto& backends = draft.backends;
  const bool other_backends = !overrides.backends.empty() && !backend.empty() &&
                              std::find(backends.begin(), backends.end(), backend) == backends.end();
  const bool other_values = !overrides.matrix.empty() && !(said(threshold, "arm") + said(threshold, "cell")).empty();
  return threshold.place.flag.empty() && (other_backends || other_values);
}

std::string nothing_found(const ThresholdDraft& threshold, const Laid& laid, const Draft& draft,
                          const std::vector<CellPlan>& cells, std::string_view key) {
  const std::string cure = fmt::format("; to run without it: -s {}=[]", key);
  if (laid.baseline) {
    return fmt::format("{} is the baseline here, and its ratio to itself is 1; name what is compared with it{}",
                       said(threshold, "arm").empty() ? said(threshold, "backend") : said(threshold, "arm"), cure);
  }
  if (laid.any) {
    const std::string metric = said(threshold, "metric");
    return fmt::format(
        "none of these arms has the metric {}: {}", metric,
        metric == "cpu_relay" ? "there is no [relay]" : "a handshake, a context or a session moves no payload");
  }
  const std::string backend = said(threshold, "backend"), part = said(threshold, "cell");
  const auto& backends = draft.backends;
  if (!backend.empty() && std::find(backends.begin(), backends.end(), backend) == backends.end()) {
    return fmt::format("\"{}\" is none of the backends of this scenario: {}{}", backend, quoted_list(backends), cure);
  }
  const auto has_part = [&](const CellPlan& cell) { return cell.id.find(part) != std::string::npos; };
  if (std::none_of(cells.begin(), cells.end(), has_part)) {
    return fmt::format("no cell's id has \"{}\" in it; the first is {}{}", part, cells.front().id, cure);
  }
  return "no arm of this scenario is meant by it" + cure;
}

// Why the member `arm` will not do; empty: it will, or there is none.
std::string arm_fault(const ThresholdDraft& threshold, const Draft& draft, const std::string& arms) {
  const std::string arm = said(threshold, "arm");
  if (arm.empty()) {
    return {};
  }
  if (arms == "backends") {
    return "belongs to a scenario whose arms are the values of a key; here backends are compared: say backend = ...";
  }
  if (arm.ends_with("#2")) {
    return fmt::format("\"{}\" is the baseline once more, for the A/A check; there is nothing to demand of it", arm);
  }
  std::vector<std::string> values;
  for (const Axis& axis : draft.axes) {
    for (const AxisValue& value : axis.values) {
      if (axis.path == arms) {
        values.push_back(value.text);
      }
    }
  }
  if (std::find(values.begin(), values.end(), arm) != values.end()) {
    return {};
  }
  return fmt::format("found \"{}\"; allowed is what is compared, the values of {}: {}{}", arm, arms,
                     quoted_list(values), did_you_mean(arm, values));
}

}  // namespace

std::vector<ThresholdPlan> plan_thresholds(const Draft& draft, const std::vector<CellPlan>& cells,
                                           const std::string& arms, const Overrides& overrides,
                                           Diagnostics& diagnostics) {
  std::vector<ThresholdPlan> plans;
  for (const ThresholdDraft& threshold : draft.thresholds) {
    const std::string key = join("thresholds", threshold_kind_name(threshold.kind));
    Laid laid = lay(threshold, cells);
    if (laid.targets.empty() && !laid.any && left_out(threshold, draft, overrides)) {
      continue;
    }
    if (std::string fault = arm_fault(threshold, draft, arms); !fault.empty()) {
      diagnostics.add(threshold.places.at("arm"), join(key, "arm"), std::move(fault));
    } else if (laid.targets.empty()) {
      diagnostics.add(threshold.place, key, nothing_found(threshold, laid, draft, cells, key));
    } else {
      const std::string expr = said(threshold, "expr");
      plans.push_back({threshold.kind, said(threshold, "metric"), expr,
                       *parse_expression(threshold.kind, expr).expression, std::move(laid.targets)});
    }
  }
  return plans;
}

void keep_cells(std::vector<ThresholdPlan>& thresholds, const std::vector<CellPlan>& cells) {
  for (ThresholdPlan& threshold : thresholds) {
    std::erase_if(threshold.targets, [&](const ThresholdPlan::Target& target) {
      return std::none_of(cells.begin(), cells.end(), [&](const CellPlan& cell) { return cell.id == target.cell; });
    });
  }
  std::erase_if(thresholds, [](const ThresholdPlan& threshold) { return threshold.targets.empty(); });
}

}  // namespace tlsrig::scenario
