// The order of arms.
#include <tlsrig/report/ranking.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

#include <tlsrig/report/select.hpp>

namespace tlsrig::report {
namespace {

// What the arms of a cell are ordered by: the larger, the better.
//
// The ratio that the verdicts rest on, paired block by block. Medians may order arms otherwise, as each holds what the
// machine did meanwhile, and a table in one order beside verdicts in another would be read as an error. An arm without
// a ratio is placed by its median over the baseline's; without a baseline's by the median alone: no arm has a ratio
// then. Empty: no number at all.
std::optional<double> rank_value(const Cell& cell, const Arm& arm) {
  const Metric* metric = main_metric(arm);
  if (metric == nullptr || !metric->value) return std::nullopt;
  const Arm* baseline = find_arm(cell, cell.baseline);
  const Comparison* comparison = find_comparison(cell, arm.id, metric->name);
  double value = *metric->value;
  if (&arm == baseline) {
    value = 1;
  } else if (comparison != nullptr && comparison->ratio) {
    value = *comparison->ratio;
  } else if (baseline != nullptr && baseline->status == Status::ok) {
    const Metric* theirs = find_metric(*baseline, metric->name);
    if (theirs != nullptr && theirs->value && *theirs->value > 0) value /= *theirs->value;
  }
  return metric->better == "lower" ? -value : value;
}

}  // namespace

Arms Ranking::with_numbers() const {
  Arms arms = ranked;
  std::copy_if(yardstick.begin(), yardstick.end(), std::back_inserter(arms),
               [](const Arm* arm) { return arm->status == Status::ok; });
  return arms;
}

Ranking rank(const Cell& cell) {
  Ranking ranking;
  Arms twins;
  for (const Arm& arm : cell.arms) {
    if (is_yardstick(cell, arm)) {
      ranking.yardstick.push_back(&arm);
    } else if (arm.status != Status::ok) {
      ranking.others.push_back(&arm);
    } else {
      (arm.twin ? twins : ranking.ranked).push_back(&arm);
    }
  }
  std::stable_sort(ranking.ranked.begin(), ranking.ranked.end(), [&](const Arm* left, const Arm* right) {
    return rank_value(cell, *left) > rank_value(cell, *right);  // none is less than any
  });
  const auto baseline = std::find_if(ranking.ranked.begin(), ranking.ranked.end(),
                                     [&](const Arm* arm) { return arm->id == cell.baseline; });
  const auto place = baseline == ranking.ranked.end() ? baseline : baseline + 1;
  ranking.ranked.insert(place, twins.begin(), twins.end());
  return ranking;
}

const Comparison* find_comparison(const Cell& cell, std::string_view arm, std::string_view metric) {
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->arm == arm && comparison->metric == metric) return comparison;
  }
  return nullptr;
}

std::string main_metric_name(const Cell& cell) {
  for (const Arm& arm : cell.arms) {
    if (const Metric* metric = main_metric(arm); metric != nullptr && arm.status == Status::ok) return metric->name;
  }
  return "";
}

}  // namespace tlsrig::report
