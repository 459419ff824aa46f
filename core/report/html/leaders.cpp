// Who leads.
#include <tlsrig/report/html/leaders.hpp>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

constexpr std::string_view not_decided = "not decided";

const Comparison* verdict_of(const Cell& cell, const Arm& arm) {
  const Comparison* comparison = find_comparison(cell, arm.id, main_metric_name(cell));
  return comparison != nullptr && comparison->verdict && comparison->ratio ? comparison : nullptr;
}

bool has_tone(const Cell& cell, const Arm& arm, Tone tone) {
  const Comparison* comparison = verdict_of(cell, arm);
  return comparison != nullptr && tone_of(*comparison->verdict) == tone;
}

bool lower_is_better(const Arm& arm) {
  const Metric* metric = main_metric(arm);
  return metric != nullptr && metric->better == "lower";
}

// By ratios: medians of throughput would have the machine's drift in them.
bool has_better_ratio(const Cell& cell, const Arm& one, const Arm& other) {
  const double left = *verdict_of(cell, one)->ratio, right = *verdict_of(cell, other)->ratio;
  return lower_is_better(one) ? left < right : left > right;
}

// The other's interval lies wholly on the worse side; one that is not known may lie anywhere.
bool is_ahead_of(const Cell& cell, const Arm& one, const Arm& other) {
  const Comparison *mine = verdict_of(cell, one), *theirs = verdict_of(cell, other);
  if (!mine->low || !mine->high || !theirs->low || !theirs->high) return false;
  return lower_is_better(one) ? *mine->high < *theirs->low : *mine->low > *theirs->high;
}

// Of all that have a verdict, best ratio first.
Leader first_of(const Cell& cell, const Arm& first, const Arms& judged, const Arm* baseline) {
  Leader leader{first.id, "fastest", &first, {}, baseline};
  for (const Arm* arm : judged)
    if (arm != &first && !is_ahead_of(cell, first, *arm)) leader.tied.push_back(arm->id);
  if (!leader.tied.empty()) leader.words = "first, not told apart from " + joined(leader.tied, ", ");
  const auto next = std::find_if(judged.begin(), judged.end(), [&](const Arm* arm) { return arm != &first; });
  if (next != judged.end()) {
    const double ratio = *verdict_of(cell, **next)->ratio;
    if (lower_is_better(first) ? ratio < 1 : ratio > 1) leader.next = *next;
  }
  return leader;
}

Leader undecided(const std::string& words, const Arm* arm) {
  return {std::string(not_decided), words, arm, {}, nullptr};
}

// "Next: wolfssl, 1.211 x (1.185 .. 1.236), after 1.247 x (1.204 .. 1.292)": both as ratios to the baseline, since
// there is no comparison of the two.
std::string next_words(const Cell& cell, const Leader& leader) {
  if (leader.next == nullptr) return "";
  if (leader.next->id == cell.baseline) return "Next: " + cell.baseline + ", the baseline.";
  const auto numbers = [&](const Arm& arm) {
    const Comparison& comparison = *verdict_of(cell, arm);
    return factor_words(*comparison.ratio) + in_brackets(interval_words(comparison));
  };
  return fmt::format("Next: {}, {}, after {}.", leader.next->id, numbers(*leader.next), numbers(*leader.arm));
}

// " with openssl" where settings are compared, and their cells are each backend's own.
std::string player_note(const Cell& cell, const std::string& id) {
  const Arm* arm = find_arm(cell, id);
  if (arm == nullptr) return "";
  const std::string player = arm->variant.value_or(arm->backend);
  return player == arm->id ? "" : " with " + player;
}

// How many cells of a scenario one answer holds for.
struct Count {
  std::string name, tied;  // tied: "tied with wolfssl"; empty: told apart from all
  std::size_t cells = 0;
  auto weakness() const { return std::pair(name == not_decided, !tied.empty()); }
};

}  // namespace

Leader leader_of(const Cell& cell) {
  Arms ranked = rank(cell).ranked;
  std::erase_if(ranked, [](const Arm* arm) { return arm->twin; });
  if (ranked.empty()) return undecided("no arm has a number", nullptr);
  const Arm* baseline = find_arm(cell, cell.baseline);
  if (baseline == nullptr || baseline->status != Status::ok)
    return undecided("the baseline has no number", ranked.front());
  std::erase(ranked, baseline);
  if (ranked.empty()) return undecided("no arm but the baseline has a number", nullptr);
  Arms judged;
  std::copy_if(ranked.begin(), ranked.end(), std::back_inserter(judged),
               [&](const Arm* arm) { return verdict_of(cell, *arm) != nullptr; });
  if (judged.empty()) return undecided("no verdicts", ranked.front());
  std::stable_sort(judged.begin(), judged.end(),
                   [&](const Arm* one, const Arm* other) { return has_better_ratio(cell, *one, *other); });
  const auto first =
      std::find_if(judged.begin(), judged.end(), [&](const Arm* arm) { return has_tone(cell, *arm, Tone::good); });
  if (first != judged.end()) return first_of(cell, **first, judged, baseline);
  const bool all_lose =
      judged.size() == ranked.size() &&
      std::all_of(judged.begin(), judged.end(), [&](const Arm* arm) { return has_tone(cell, *arm, Tone::bad); });
  if (all_lose) return {baseline->id, "fastest", judged.front(), {}, nullptr};
  return undecided("none is shown to be faster than " + baseline->id, judged.front());
}

List leaders_of(const Result& result) {
  List leaders;
  for (const Cell& cell : result.cells) {
    const Leader leader = leader_of(cell);
    Fields fields;
    fields.id("cell", cell.id).text("anchor", anchor_of(result, cell)).text("name", leader.name);
    fields.prose("standing", leader.words);
    fields.prose("evidence", leader.arm ? verdict_sentence(cell, *leader.arm) : "");
    fields.prose("next", next_words(cell, leader));
    leaders.push_back(std::move(fields));
  }
  return leaders;
}

std::string fastest_words(const Result& result, const std::string& scenario) {
  std::vector<Count> counts;
  std::size_t cells = 0;
  for (const Cell& cell : result.cells) {
    if (cell.scenario != scenario) continue;
    ++cells;
    const Leader leader = leader_of(cell);
    const std::string name = leader.name + player_note(cell, leader.name);
    const std::string tied = leader.tied.empty() ? "" : "tied with " + joined(leader.tied, ", ");
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const Count& each) { return each.name == name && each.tied == tied; });
    ++(known == counts.end() ? counts.emplace_back(Count{name, tied, 0}) : *known).cells;
  }
  std::stable_sort(counts.begin(), counts.end(), [&](const Count& left, const Count& right) {
    return std::pair(left.weakness(), right.cells) < std::pair(right.weakness(), left.cells);
  });
  std::vector<std::string> parts;
  std::string named;
  for (const Count& count : counts) {
    std::string words = count.name == named ? count.tied : count.name + (count.tied.empty() ? "" : " " + count.tied);
    named = count.name;
    if (cells > 1)
      words += fmt::format(" in {}{}", count.cells, parts.empty() ? fmt::format(" of {} cells", cells) : "");
    parts.push_back(words);
  }
  return joined(parts, ", ");
}

}  // namespace tlsrig::report::html
