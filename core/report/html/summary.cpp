// The top of the page.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/thresholds_text.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

const Comparison* verdict_of(const Cell& cell, const Arm& arm) {
  const Comparison* comparison = find_comparison(cell, arm.id, main_metric_name(cell));
  return comparison != nullptr && comparison->verdict && comparison->ratio ? comparison : nullptr;
}

bool has_tone(const Cell& cell, const Arm& arm, Tone tone) {
  const Comparison* comparison = verdict_of(cell, arm);
  return comparison != nullptr && tone_of(*comparison->verdict) == tone;
}

// Which of the two has the more favourable ratio; medians of throughput would have the machine's drift in them.
bool has_better_ratio(const Cell& cell, const Arm& one, const Arm& other) {
  const double left = *verdict_of(cell, one)->ratio, right = *verdict_of(cell, other)->ratio;
  const Metric* metric = main_metric(one);
  return metric != nullptr && metric->better == "lower" ? left < right : left > right;
}

bool intervals_overlap(const Cell& cell, const Arm& one, const Arm& other) {
  const Comparison *left = verdict_of(cell, one), *right = verdict_of(cell, other);
  return left->low && left->high && right->low && right->high && *left->low <= *right->high &&
         *right->low <= *left->high;
}

constexpr std::string_view not_decided = "not decided";

struct Leader {
  std::string name;          // whom the cell's line names
  std::string words;         // "fastest"
  const Arm* arm = nullptr;  // whose verdict is the evidence
  bool told_apart = true;    // from all others that beat the baseline
};

// Of arms that were all shown to be better than the baseline, best first.
Leader first_of(const Cell& cell, const Arms& better) {
  std::vector<std::string> close;
  for (const Arm* arm : better)
    if (arm != better.front() && intervals_overlap(cell, *better.front(), *arm)) close.push_back(arm->id);
  const std::string words = close.empty() ? "fastest" : "first, but not told apart from " + joined(close, ", ");
  return {better.front()->id, words, better.front(), close.empty()};
}

// Arms are compared with the baseline and not with each other, so a leader is named only as far as that carries.
Leader leader_of(const Cell& cell) {
  Arms ranked = rank(cell).ranked;
  std::erase_if(ranked, [](const Arm* arm) { return arm->twin; });
  if (ranked.empty()) return {std::string(not_decided), "no arm has a number", nullptr};
  const Arm* baseline = find_arm(cell, cell.baseline);
  if (baseline == nullptr || baseline->status != Status::ok)
    return {std::string(not_decided), "the baseline has no number", ranked.front()};
  Arms better, others;
  for (const Arm* arm : ranked) {
    if (arm == baseline) continue;
    others.push_back(arm);
    if (has_tone(cell, *arm, Tone::good)) better.push_back(arm);
  }
  std::stable_sort(better.begin(), better.end(),
                   [&](const Arm* one, const Arm* other) { return has_better_ratio(cell, *one, *other); });
  if (!better.empty()) return first_of(cell, better);
  if (others.empty()) return {std::string(not_decided), "no arm but the baseline has a number", nullptr};
  if (std::none_of(others.begin(), others.end(), [&](const Arm* arm) { return verdict_of(cell, *arm); }))
    return {std::string(not_decided), "no verdicts", others.front()};
  const bool all_lose =
      std::all_of(others.begin(), others.end(), [&](const Arm* arm) { return has_tone(cell, *arm, Tone::bad); });
  if (all_lose) return {baseline->id, "fastest", others.front()};
  return {std::string(not_decided), "none is shown to be faster than " + baseline->id, others.front()};
}

List leaders_of(const Result& result) {
  List leaders;
  for (const Cell& cell : result.cells) {
    const Leader leader = leader_of(cell);
    Fields fields;
    fields.text("cell", cell.id).text("anchor", anchor_of(result, cell)).text("name", leader.name);
    fields.text("standing", leader.words);
    fields.text("evidence", leader.arm ? verdict_sentence(cell, *leader.arm) : "");
    leaders.push_back(std::move(fields));
  }
  return leaders;
}

// " with openssl" where settings are compared, and their cells are each backend's own.
std::string player_note(const Cell& cell, const std::string& id) {
  const Arm* arm = find_arm(cell, id);
  if (arm == nullptr) return "";
  const std::string player = arm->variant.value_or(arm->backend);
  return player == arm->id ? "" : " with " + player;
}

// "boringssl in 2 of 3 cells, not decided in 1": the short answer for a scenario.
std::string fastest_words(const Result& result, const std::string& scenario) {
  constexpr std::string_view shared = " but not told apart from another";
  std::vector<std::pair<std::string, std::size_t>> counts;
  std::size_t cells = 0;
  for (const Cell& cell : result.cells) {
    if (cell.scenario != scenario) continue;
    ++cells;
    const Leader leader = leader_of(cell);
    std::string words = leader.name + player_note(cell, leader.name);
    if (!leader.told_apart) words += shared;
    const auto known =
        std::find_if(counts.begin(), counts.end(), [&](const auto& each) { return each.first == words; });
    ++(known == counts.end() ? counts.emplace_back(words, 0) : *known).second;
  }
  const auto weakness = [&](const std::string& words) {
    return words == not_decided ? 2 : words.ends_with(shared) ? 1 : 0;
  };
  std::stable_sort(counts.begin(), counts.end(), [&](const auto& left, const auto& right) {
    return std::pair(weakness(left.first), right.second) < std::pair(weakness(right.first), left.second);
  });
  std::vector<std::string> parts;
  for (const auto& [words, count] : counts)
    parts.push_back(
        cells == 1 ? words
                   : fmt::format("{} in {}{}", words, count, parts.empty() ? fmt::format(" of {} cells", cells) : ""));
  return joined(parts, ", ");
}

// Grouped by scenario; the name of the arm, which each sentence begins with, apart.
List conclusions_of(const Result& result) {
  struct Group {
    std::string scenario;
    List sentences;
  };
  std::vector<Group> groups;
  for (const Conclusion& conclusion : conclusions(result)) {
    if (groups.empty() || groups.back().scenario != conclusion.scenario) groups.push_back({conclusion.scenario, {}});
    const bool named = conclusion.sentence.starts_with(conclusion.arm);
    Fields fields;
    fields.text("arm", named ? conclusion.arm : "");
    fields.text("sentence", named ? conclusion.sentence.substr(conclusion.arm.size()) : conclusion.sentence);
    groups.back().sentences.push_back(std::move(fields));
  }
  List list;
  for (const Group& group : groups)
    list.push_back(std::move(Fields()
                                 .text("scenario", group.scenario)
                                 .text("fastest", fastest_words(result, group.scenario))
                                 .list("sentences", group.sentences)));
  return list;
}

List warning_list(const Result& result) {
  List list;
  for (const Warning& warning : warnings_of(result))
    list.push_back(std::move(Fields().text("subject", warning.subject).text("warning", warning.text)));
  return list;
}

List thresholds_of(const Result& result) {
  List list;
  for (const Threshold& threshold : result.thresholds) {
    const bool judged = threshold.held.has_value(), held = threshold.held.value_or(false);
    Fields fields;
    fields.text("tone", !judged ? "open" : held ? "good" : "bad");
    fields.text("symbol", !judged ? "?" : held ? "✓" : "✕");
    fields.text("outcome", !judged ? "not judged" : held ? "held" : "not held");
    fields.text("demand", threshold.expr).text("metric", metric_words(threshold.metric));
    fields.text("arm", threshold.arm.empty() ? threshold.backend : threshold.arm).text("cell", threshold.cell);
    fields.text("value", judged ? threshold_value(threshold) : "");
    fields.text("reason", threshold.reason.value_or(""));
    list.push_back(std::move(fields));
  }
  return list;
}

std::string title_of(const Result& result) {
  std::vector<std::string> names;
  for (const ScenarioRecord& scenario : result.scenarios) {
    if (std::find(names.begin(), names.end(), scenario.name) == names.end()) names.push_back(scenario.name);
  }
  return joined(names, ", ");
}

// What the whole result is to be read with, in a word each: the warnings say more.
List marks_of(const Result& result) {
  List marks;
  const auto add = [&](bool applies, std::string_view word) {
    if (applies) marks.push_back(std::move(Fields().text("word", word)));
  };
  add(!result.complete, "INCOMPLETE");
  add(result.quick, "QUICK: a first look");
  add(result.in_process, "IN PROCESS");
  return marks;
}

std::string counts_of(const Result& result) {
  std::size_t arms = 0, with_numbers = 0;
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      ++arms;
      with_numbers += arm.status == Status::ok ? 1 : 0;
    }
  }
  return fmt::format("{}, {} of {} with numbers", counted(result.cells.size(), "cell", "cells"), with_numbers,
                     counted(arms, "arm", "arms"));
}

}  // namespace

void add_summary(Fields& page, const Result& result) {
  page.text("title", title_of(result)).text("counts", counts_of(result));
  page.text("started", result.started).text("version", result.version);
  page.list("marks", marks_of(result)).list("conclusions", conclusions_of(result));
  page.list("warnings", warning_list(result)).list("thresholds", thresholds_of(result));
  page.list("leaders", leaders_of(result));
}

}  // namespace tlsrig::report::html
