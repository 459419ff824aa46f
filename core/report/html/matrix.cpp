// Cells x arms.
#include <algorithm>
#include <iterator>
#include <map>

#include <tlsrig/report/html/forest_plot.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

// Neighbouring cells whose arms stand in the same columns.
struct Group {
  std::vector<const Cell*> cells;
  std::vector<std::string> arms;  // in the order in which they first come
};

std::vector<Group> groups_of(const Result& result) {
  std::vector<Group> groups;
  for (const Cell& cell : result.cells) {
    const bool same = !groups.empty() && groups.back().cells.front()->scenario == cell.scenario &&
                      groups.back().cells.front()->run == cell.run &&
                      groups.back().cells.front()->baseline == cell.baseline;
    if (!same) groups.emplace_back();
    Group& group = groups.back();
    group.cells.push_back(&cell);
    for (const Arm& arm : cell.arms) {
      if (std::find(group.arms.begin(), group.arms.end(), arm.id) == group.arms.end()) group.arms.push_back(arm.id);
    }
  }
  return groups;
}

Fields field_of(const Cell& cell, const std::string& id) {
  Fields fields;
  const Arm* arm = find_arm(cell, id);
  const Marking marking = arm ? marking_of(cell, *arm) : Marking{"", "not in this cell", "", "none"};
  const Comparison* comparison = arm ? find_comparison(cell, id, main_metric_name(cell)) : nullptr;
  fields.text("tone", marking.tone).text("symbol", marking.symbol).text("word", marking.word);
  fields.text("ratio", comparison && comparison->ratio ? format_ratio(*comparison->ratio) : "");
  fields.text("interval", comparison && comparison->ratio ? interval_words(*comparison) : "");
  fields.text("reason", shortened(one_line(marking.reason), 90));
  return fields;
}

Fields fields_of(const Result& result, const Group& group) {
  List columns, rows, forests;
  for (const std::string& arm : group.arms) columns.push_back(std::move(Fields().text("column", arm)));
  for (const Cell* cell : group.cells) {
    List entries;
    for (const std::string& arm : group.arms) entries.push_back(std::move(field_of(*cell, arm).text("arm", arm)));
    Fields row;
    row.text("anchor", anchor_of(result, *cell)).id("cell", short_name_of(*cell));
    rows.push_back(std::move(row.list("entries", entries)));
    if (const std::string plot = forest_plot(*cell); !plot.empty()) {
      Fields forest;
      forest.text("anchor", anchor_of(result, *cell)).id("cell", short_name_of(*cell)).plot("plot", plot);
      forests.push_back(std::move(forest));
    }
  }
  const Cell& first = *group.cells.front();
  Fields fields;
  fields.text("scenario", first.scenario).text("run", first.run).text("baseline", first.baseline);
  fields.text("metric", metric_words(main_metric_name(first)));
  fields.list("columns", columns).list("rows", rows).list("forests", forests);
  return fields;
}

}  // namespace

namespace {

// The markings that the page shows, in the order of their symbols here: of the matrix and of all other ratios.
struct Kind {
  std::vector<std::string> symbols;
  const char* meaning;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"▲", "▼"}, "the whole interval lies beyond the limit"},
      {{"△", "▽"}, "only 1 is excluded; about one equal cell in twenty shows it by chance"},
      {{"="}, "the whole interval lies within the equivalence"},
      {{"?"}, "neither is shown"},
      {{"–"}, "no ratio, or too few blocks to judge it"},
      {{"◆"}, "what ratios are to"},
      {{"◇"}, "the baseline once more; how far it is off is what this machine cannot tell apart"},
      {{"○"}, "the same traffic in the clear, not ranked"},
      {{"✕", "∅", "…"}, "no number"}};
  return all;
}

// For each symbol the words that it stands with.
std::map<std::string, std::vector<std::string>> markings_in_use(const Result& result) {
  std::map<std::string, std::vector<std::string>> used;
  const auto add = [&](const Marking& marking) {
    std::vector<std::string>& words = used[marking.symbol];
    if (std::find(words.begin(), words.end(), marking.word) == words.end()) words.push_back(marking.word);
  };
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) add(marking_of(cell, arm));
    for (const Comparison* comparison : valid_comparisons(cell))
      add(marking_of(cell, *find_arm(cell, comparison->arm), comparison->metric));
  }
  return used;
}

// "▲ faster, ▼ slower" with what it means; nothing of symbols that the page does not have.
List legend_of(const Result& result) {
  const auto used = markings_in_use(result);
  List legend;
  for (const Kind& kind : kinds()) {
    std::vector<std::string> marks;
    for (const std::string& symbol : kind.symbols) {
      const auto words = used.find(symbol);
      if (words != used.end()) marks.push_back(symbol + " " + joined(words->second, ", "));
    }
    if (!marks.empty())
      legend.push_back(std::move(Fields().prose("marks_used", joined(marks, "; ")).text("meaning", kind.meaning)));
  }
  return legend;
}

}  // namespace

std::string anchor_of(const Result& result, const Cell& cell) {
  return "cell-" + std::to_string(&cell - result.cells.data() + 1);
}

std::string short_name_of(const Cell& cell) {
  const std::string words = cell_words(cell);
  return words.empty() ? cell.id : words;
}

void add_matrices(Fields& page, const Result& result) {
  List matrices;
  for (const Group& group : groups_of(result)) matrices.push_back(fields_of(result, group));
  page.list("matrices", matrices).list("legend", legend_of(result));
}

}  // namespace tlsrig::report::html
