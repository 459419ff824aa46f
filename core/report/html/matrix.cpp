// Cells x arms.
#include <algorithm>
#include <iterator>

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
    for (const std::string& arm : group.arms) entries.push_back(field_of(*cell, arm));
    Fields row;
    row.text("anchor", anchor_of(result, *cell)).text("cell", short_name_of(*cell));
    rows.push_back(std::move(row.list("entries", entries)));
    if (const std::string plot = forest_plot(*cell); !plot.empty()) {
      Fields forest;
      forest.text("anchor", anchor_of(result, *cell)).text("cell", short_name_of(*cell)).plot("plot", plot);
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
  page.list("matrices", matrices);
}

}  // namespace tlsrig::report::html
