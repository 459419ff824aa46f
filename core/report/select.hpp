// What of a cell may be shown: the one place that keeps numbers of failed arms out of every report.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

inline const Arm* find_arm(const Cell& cell, std::string_view id) {
  const auto found = std::find_if(cell.arms.begin(), cell.arms.end(), [&](const Arm& arm) { return arm.id == id; });
  return found == cell.arms.end() ? nullptr : &*found;
}

inline const Metric* find_metric(const Arm& arm, std::string_view name) {
  const auto found =
      std::find_if(arm.metrics.begin(), arm.metrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == arm.metrics.end() ? nullptr : &*found;
}

// What an arm is ranked by: throughput, or the first metric of a workload that has none. nullptr without metrics.
inline const Metric* main_metric(const Arm& arm) {
  if (const Metric* throughput = find_metric(arm, "throughput")) return throughput;
  return arm.metrics.empty() ? nullptr : &arm.metrics.front();
}

// The yardstick: it has a ratio, but neither verdict nor rank.
inline bool is_yardstick(const Arm& arm) { return arm.backend == "plaintcp"; }

inline std::string_view words_for(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::unsupported:
      return "unsupported";
    case Status::incomplete:
      break;
  }
  return "incomplete";
}

// Comparisons both of whose arms are ok.
inline std::vector<const Comparison*> valid_comparisons(const Cell& cell) {
  const auto is_ok = [&](const std::string& id) {
    const Arm* arm = find_arm(cell, id);
    return arm != nullptr && arm->status == Status::ok;
  };
  std::vector<const Comparison*> valid;
  for (const Comparison& comparison : cell.comparisons) {
    if (is_ok(comparison.arm) && is_ok(comparison.baseline)) valid.push_back(&comparison);
  }
  return valid;
}

}  // namespace tlsrig::report
