// What all cells of a scenario say of one backend or setting.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

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

// How the cells of a group ended, in the order in which they are told.
struct Tally {
  std::vector<std::pair<std::string, std::vector<const Comparison*>>> verdicts;
  std::vector<const Comparison*> ratios;  // without a verdict: few blocks, the yardstick
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

// "1.106 x, 95 % interval 1.060 .. 1.142"; of several cells the span of the ratios and of their intervals.
std::string numbers_of(const std::vector<const Comparison*>& comparisons) {
  const auto by = [](auto member) {
    return [member](const Comparison* left, const Comparison* right) { return left->*member < right->*member; };
  };
  const auto [least, most] = std::minmax_element(comparisons.begin(), comparisons.end(), by(&Comparison::ratio));
  std::string text = comparisons.size() == 1 ? factor_words(*(*least)->ratio)
                                             : factor_words(*(*least)->ratio) + " to " + factor_words(*(*most)->ratio);
  const auto interval = [](const Comparison* each) { return each->low && each->high; };
  if (!std::all_of(comparisons.begin(), comparisons.end(), interval)) return text;
  const auto low = std::min_element(comparisons.begin(), comparisons.end(), by(&Comparison::low));
  const auto high = std::max_element(comparisons.begin(), comparisons.end(), by(&Comparison::high));
  return text + fmt::format(", 95 % {} {} .. {}", comparisons.size() == 1 ? "interval" : "intervals within",
                            format_ratio(*(*low)->low), format_ratio(*(*high)->high));
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
  std::string remark;
  if (!tally.ratios.empty()) {
    const Part& part = group.parts.front();
    const Arm* baseline = find_arm(*part.cell, group.baseline);
    remark = is_yardstick(*part.cell, *part.arm)   ? "; without TLS, and so not ranked"
             : is_yardstick(*part.cell, *baseline) ? "; the baseline has no TLS, so there is no verdict"
                                                   : "; too few blocks for a verdict";
    add(fmt::format("beside {}", group.baseline), tally.ratios.size(), numbers_of(tally.ratios));
  }
  if (tally.without_ratio > 0) add("no ratio, as " + group.baseline + " has none,", tally.without_ratio, "");
  for (const auto& [words, count] : tally.without_number)
    add(std::string(words), count, tally.reasons.size() == 1 ? *tally.reasons.begin() : "");
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

}  // namespace

std::vector<Conclusion> conclusions(const Result& result) {
  const std::vector<Group> groups = groups_of(result);
  struct Placed {
    std::pair<int, double> place;
    Conclusion conclusion;
  };
  std::vector<std::pair<std::string, std::vector<Placed>>> scenarios;
  for (const Group& group : groups) {
    if (scenarios.empty() || scenarios.back().first != group.scenario) scenarios.push_back({group.scenario, {}});
    const Tally tally = tally_of(group);
    // The same setting of several backends: each has cells of its own.
    const bool shared = std::any_of(groups.begin(), groups.end(), [&](const Group& other) {
      return other.scenario == group.scenario && other.arm == group.arm && other.backend != group.backend;
    });
    const std::string words = group.arm == group.baseline ? baseline_sentence(group, tally) : sentence_of(group, tally);
    if (words.empty()) continue;
    const std::string name = shared ? fmt::format("{} with {}", group.arm, group.backend) : group.arm;
    scenarios.back().second.push_back(
        {place_of(group, tally), {group.scenario, group.arm, group.baseline, name + ": " + words}});
  }
  std::vector<Conclusion> list;
  for (auto& [scenario, placed] : scenarios) {
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& left, const Placed& right) { return left.place < right.place; });
    for (Placed& each : placed) list.push_back(std::move(each.conclusion));
  }
  return list;
}

}  // namespace tlsrig::report
