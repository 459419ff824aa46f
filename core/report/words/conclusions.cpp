// What all cells of a scenario say of one backend or setting.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

struct Part {
  const Cell* cell;
  const Arm* arm;
};

// The cells of one arm; of one backend where settings are compared.
struct Group {
  std::string scenario, arm, backend, baseline;
  std::vector<Part> parts;
  bool is(const Cell& cell, const Arm& other) const {
    return scenario == cell.scenario && baseline == cell.baseline && arm == other.id && backend == played_by(other);
  }
  static std::string played_by(const Arm& arm) { return arm.variant.value_or(arm.backend); }
};

std::vector<Group> groups_of(const Result& result) {
  std::vector<Group> groups;
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      if (arm.twin) continue;  // it speaks of the machine
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.is(cell, arm); });
      if (group == groups.end()) {
        groups.push_back({cell.scenario, arm.id, Group::played_by(arm), cell.baseline, {}});
        group = groups.end() - 1;
      }
      group->parts.push_back({&cell, &arm});
    }
  }
  return groups;
}

using Comparisons = std::vector<const Comparison*>;

// How the cells of a group ended, in the order in which they are told.
struct Tally {
  std::vector<std::pair<std::string, Comparisons>> verdicts;
  Comparisons ratios;  // without a verdict: few blocks, the yardstick
  std::map<std::string_view, std::size_t> without_number;
  std::set<std::string> reasons;
  std::size_t without_ratio = 0;  // ok, and nothing to be compared with
};

Tally tally_of(const Group& group) {
  constexpr const char* order[] = {"faster",         "smaller",       "slower",        "larger",    "likely faster",
                                   "likely smaller", "likely slower", "likely larger", "equivalent"};
  Tally tally;
  for (const char* verdict : order) tally.verdicts.push_back({verdict, {}});
  for (const auto& [cell, arm] : group.parts) {
    if (arm->status != Status::ok) {
      ++tally.without_number[words_for(arm->status)];
      if (arm->reason) tally.reasons.insert(*arm->reason);
      continue;
    }
    const Comparison* comparison = find_comparison(*cell, arm->id, main_metric_name(*cell));
    if (comparison == nullptr || !comparison->ratio) {
      ++tally.without_ratio;
    } else if (!comparison->verdict) {
      tally.ratios.push_back(comparison);
    } else {
      auto known = std::find_if(tally.verdicts.begin(), tally.verdicts.end(),
                                [&](const auto& each) { return each.first == *comparison->verdict; });
      if (known == tally.verdicts.end()) known = tally.verdicts.insert(known, {*comparison->verdict, {}});
      known->second.push_back(comparison);
    }
  }
  std::erase_if(tally.verdicts, [](const auto& each) { return each.second.empty(); });
  return tally;
}

// "1.106 x"; of several cells the span "1.060 x to 1.142 x".
std::string ratios_of(const Comparisons& comparisons) {
  const auto [least, most] =
      std::minmax_element(comparisons.begin(), comparisons.end(),
                          [](const Comparison* left, const Comparison* right) { return left->ratio < right->ratio; });
  const std::string low = factor_words(*(*least)->ratio), high = factor_words(*(*most)->ratio);
  return low == high ? low : low + " to " + high;
}

// "95 % interval 1.060 .. 1.142"; of several cells what holds all of them. Empty when one has none.
std::string intervals_of(const Comparisons& comparisons) {
  const auto by = [](auto member) {
    return [member](const Comparison* left, const Comparison* right) { return left->*member < right->*member; };
  };
  const auto has_interval = [](const Comparison* each) { return each->low && each->high; };
  if (!std::all_of(comparisons.begin(), comparisons.end(), has_interval)) return "";
  const auto low = std::min_element(comparisons.begin(), comparisons.end(), by(&Comparison::low));
  const auto high = std::max_element(comparisons.begin(), comparisons.end(), by(&Comparison::high));
  return fmt::format("95 % {} {}", comparisons.size() == 1 ? "interval" : "intervals within",
                     interval_words((*low)->low, (*high)->high));
}

std::string numbers_of(const Comparisons& comparisons) {
  const std::string intervals = intervals_of(comparisons);
  return ratios_of(comparisons) + (intervals.empty() ? "" : ", " + intervals);
}

// " in 4 of 6 cells"; nothing where there is one cell only, and later "in 2".
std::string place(std::size_t count, std::size_t all, bool first) {
  if (all == 1) return "";
  if (!first) return fmt::format(" in {}", count);
  return count == all ? fmt::format(" in all {} cells", all) : fmt::format(" in {} of {} cells", count, all);
}

// "faster than openssl" at first, later "faster". Nobody is to take what is likely for proved.
std::string verdict_words(const std::string& verdict, const std::string& baseline, bool first) {
  const std::string hint = verdict.starts_with("likely") ? ", not proved," : "";
  if (!first) return verdict + hint;
  if (verdict == "equivalent") return "equivalent to " + baseline;
  if (verdict == "inconclusive") return "inconclusive against " + baseline;
  return verdict + " than " + baseline + hint;
}

// "1.546 x to 1.953 x openssl's throughput": what has no verdict. Without TLS there is nothing to be proved, so that no
// interval is told; and beyond a few times as fast, as beside an engine, not even a ratio says anything.
std::string bare_ratios(const Group& group, const Comparisons& ratios, bool yardstick) {
  constexpr double telling = 10;
  const bool tells =
      std::all_of(ratios.begin(), ratios.end(), [](const Comparison* each) { return *each->ratio <= telling; });
  if (yardstick && !tells) return "";
  return fmt::format("{} {}'s {}", ratios_of(ratios), group.baseline, metric_words(ratios.front()->metric));
}

// Why there is a ratio and no verdict.
std::string without_verdict(const Group& group, bool yardstick) {
  if (yardstick) return "without TLS, not ranked";
  const Part& part = group.parts.front();
  const Arm* baseline = find_arm(*part.cell, group.baseline);
  return baseline != nullptr && is_yardstick(*part.cell, *baseline) ? "the baseline has no TLS, so there is no verdict"
                                                                    : "too few blocks for a verdict";
}

std::string sentence_of(const Group& group, const Tally& tally) {
  const std::size_t all = group.parts.size();
  std::vector<std::string> clauses;
  const auto add = [&](const std::string& words, std::size_t count, const std::string& numbers) {
    std::string clause = words + place(count, all, clauses.empty());
    if (clause.ends_with(',')) clause.pop_back();
    clauses.push_back(clause + (numbers.empty() ? "" : " (" + numbers + ")"));
  };
  for (const auto& [verdict, comparisons] : tally.verdicts)
    add(verdict_words(verdict, group.baseline, clauses.empty()), comparisons.size(), numbers_of(comparisons));
  const bool yardstick = is_yardstick(*group.parts.front().cell, *group.parts.front().arm);
  std::string remark;
  if (!tally.ratios.empty()) {
    remark = without_verdict(group, yardstick);
    if (const std::string words = bare_ratios(group, tally.ratios, yardstick); !words.empty()) {
      const bool everywhere = tally.ratios.size() == all;
      if (everywhere)
        clauses.push_back(words);
      else
        add(words, tally.ratios.size(), "");
      if (const std::string intervals = intervals_of(tally.ratios); !yardstick && !intervals.empty())
        clauses.back() += " (" + intervals + ")";
    }
  }
  if (tally.without_ratio > 0) add("no ratio, as " + group.baseline + " has none,", tally.without_ratio, "");
  for (const auto& [words, count] : tally.without_number)
    add(std::string(words), count, tally.reasons.size() == 1 ? *tally.reasons.begin() : "");
  if (!remark.empty() && !clauses.empty()) remark.insert(0, "; ");
  return joined(clauses, ", ") + remark + ".";
}

// The baseline has nothing to say of itself unless it was missing somewhere.
std::string baseline_sentence(const Group& group, const Tally& tally) {
  if (tally.without_number.empty()) return "";
  std::vector<std::string> clauses;
  for (const auto& [words, count] : tally.without_number)
    clauses.push_back(std::string(words) + place(count, group.parts.size(), clauses.empty()));
  const std::string reason = tally.reasons.size() == 1 ? " (" + *tally.reasons.begin() + ")" : "";
  return "the baseline, " + joined(clauses, ", ") + reason + ": no ratios there.";
}

// Best first, then those without a ratio, then what is not ranked.
std::pair<int, double> place_of(const Group& group, const Tally& tally) {
  if (group.arm == group.baseline) return {0, 0};
  const Part& first = group.parts.front();
  if (is_yardstick(*first.cell, *first.arm)) return {3, 0};
  double sum = 0;
  std::size_t count = 0;
  const auto take = [&](const Comparison* comparison) {
    const Metric* metric = find_metric(*first.arm, comparison->metric);
    const double sign = metric != nullptr && metric->better == "lower" ? 1 : -1;
    sum += sign * std::log(*comparison->ratio);
    ++count;
  };
  for (const auto& [verdict, comparisons] : tally.verdicts)
    for (const Comparison* comparison : comparisons) take(comparison);
  for (const Comparison* comparison : tally.ratios) take(comparison);
  if (count == 0) return {2, 0};
  return {1, sum / static_cast<double>(count)};
}

// The same setting of several backends: each has cells of its own.
bool is_shared(const std::vector<Group>& groups, const Group& group) {
  return std::any_of(groups.begin(), groups.end(), [&](const Group& other) {
    return other.scenario == group.scenario && other.arm == group.arm && other.backend != group.backend;
  });
}

// Which of the backends whose settings are compared; 0 where backends are compared.
std::size_t backend_place(const std::vector<Group>& groups, const Group& group) {
  const auto of_scenario = [&](const Group& other) { return other.scenario == group.scenario; };
  const bool by_setting = std::any_of(
      groups.begin(), groups.end(), [&](const Group& other) { return of_scenario(other) && is_shared(groups, other); });
  if (!by_setting) return 0;
  const auto first = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
    return of_scenario(other) && other.backend == group.backend;
  });
  return static_cast<std::size_t>(first - groups.begin());
}

}  // namespace

std::vector<Conclusion> conclusions(const Result& result) {
  const std::vector<Group> groups = groups_of(result);
  struct Placed {
    std::size_t backend;  // where settings are compared: ratios are to each backend's own baseline
    std::pair<int, double> place;
    Conclusion conclusion;
  };
  std::vector<std::pair<std::string, std::vector<Placed>>> scenarios;
  for (const Group& group : groups) {
    if (scenarios.empty() || scenarios.back().first != group.scenario) scenarios.push_back({group.scenario, {}});
    const Tally tally = tally_of(group);
    const bool shared = is_shared(groups, group);
    const std::string words = group.arm == group.baseline ? baseline_sentence(group, tally) : sentence_of(group, tally);
    if (words.empty()) continue;
    const std::string name = shared ? fmt::format("{} with {}", group.arm, group.backend) : group.arm;
    scenarios.back().second.push_back({backend_place(groups, group),
                                       place_of(group, tally),
                                       {group.scenario, group.arm, group.baseline, name + ": " + words}});
  }
  std::vector<Conclusion> list;
  for (auto& [scenario, placed] : scenarios) {
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& left, const Placed& right) {
      return std::tie(left.backend, left.place) < std::tie(right.backend, right.place);
    });
    for (Placed& each : placed) list.push_back(std::move(each.conclusion));
  }
  return list;
}

}  // namespace tlsrig::report
