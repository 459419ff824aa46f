// The order of arms.
#include <tlsrig/report/ranking.hpp>

#include <algorithm>
#include <iterator>

#include <tlsrig/report/select.hpp>

namespace tlsrig::report {
namespace {

bool ranks_before(const Arm* left, const Arm* right) {
  const Metric* mine = main_metric(*left);
  const Metric* theirs = main_metric(*right);
  if (mine == nullptr || theirs == nullptr || !mine->value || !theirs->value) {
    return mine != nullptr && mine->value && (theirs == nullptr || !theirs->value);
  }
  return mine->better == "lower" ? *mine->value < *theirs->value : *mine->value > *theirs->value;
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
  std::stable_sort(ranking.ranked.begin(), ranking.ranked.end(), ranks_before);
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
