// What of a cell may be shown: the one place that keeps numbers of failed arms out of every report.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// The first cell of that id: where a result holds several runs, others may bear it too.
inline const Cell* find_cell(const Result& result, std::string_view id) {
  const auto found =
      std::find_if(result.cells.begin(), result.cells.end(), [&](const Cell& cell) { return cell.id == id; });
  return found == result.cells.end() ? nullptr : &*found;
}

// What is known of an arm's backend; nullptr when the result holds no record of it.
inline const BackendRecord* find_backend(const Result& result, const Arm& arm) {
  const auto found = std::find_if(result.backends.begin(), result.backends.end(), [&](const BackendRecord& record) {
    return record.name == arm.backend && record.variant == arm.variant && record.run == arm.run;
  });
  return found == result.backends.end() ? nullptr : &*found;
}

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

// Whether a relay was told to speak plain on both its legs: then no library does TLS, whichever plays.
inline bool has_plain_legs(const Arm& arm) {
  if (!arm.settings.is_object() || !arm.settings.contains("relay")) return false;
  const Json& relay = arm.settings["relay"];
  const auto is_plain = [&](const char* leg) {
    return relay.is_object() && relay.contains(leg) && relay[leg] == "plain";
  };
  return is_plain("inbound") && is_plain("outbound");
}

// Without TLS on any leg: as proved, or, for an arm that proved nothing, as its legs were told to be or as another arm
// has proved that its backend is. Who plays a single role says nothing: plaintcp ends every plain leg.
inline bool is_plain(const Cell& cell, const Arm& arm) {
  if (arm.proof.version) return *arm.proof.version == "none";
  return has_plain_legs(arm) || std::any_of(cell.arms.begin(), cell.arms.end(), [&](const Arm& other) {
           return other.proof.version == "none" && !has_plain_legs(other) && other.backend == arm.backend &&
                  other.variant == arm.variant;
         });
}

// A plain arm beside arms with TLS: it has a ratio, but neither verdict nor rank. Where all arms are plain (settings of
// plaintcp compared) they are arms like any others.
inline bool is_yardstick(const Cell& cell, const Arm& arm) {
  return is_plain(cell, arm) &&
         std::any_of(cell.arms.begin(), cell.arms.end(), [&](const Arm& other) { return !is_plain(cell, other); });
}

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
