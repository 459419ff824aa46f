// The top of the page.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/html/leaders.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/thresholds_text.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

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
    fields.prose("sentence", named ? conclusion.sentence.substr(conclusion.arm.size()) : conclusion.sentence);
    groups.back().sentences.push_back(std::move(fields));
  }
  List list;
  for (const Group& group : groups)
    list.push_back(std::move(Fields()
                                 .text("scenario", group.scenario)
                                 .prose("fastest", fastest_words(result, group.scenario))
                                 .list("sentences", group.sentences)));
  return list;
}

List warning_list(const Result& result) {
  List list;
  for (const Warning& warning : warnings_of(result))
    list.push_back(std::move(Fields().text("subject", warning.subject).prose("warning", warning.text)));
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
