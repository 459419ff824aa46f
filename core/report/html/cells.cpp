// One cell: figures, reasons, plots, proof.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/html/cpu_bars.hpp>
#include <tlsrig/report/html/dots_plot.hpp>
#include <tlsrig/report/html/quantile_plot.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/cell_table.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/damping.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

std::string tone_of(Style style) {
  switch (style) {
    case Style::strong:
      return "strong";
    case Style::faint:
      return "faint";
    case Style::good:
      return "good";
    case Style::bad:
      return "bad";
    case Style::caution:
      return "open";
    case Style::plain:
      break;
  }
  return "";
}

bool has_text(const Table& table, std::size_t column) {
  return column == 0 || std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
           return column < row.entries.size() && !row.entries[column].text.empty();
         });
}

// The sentence of every arm of the cell, and the reason that the proof's counters give.
List sentences_of(const Result& result, const Cell& cell) {
  List list;
  const Ranking ranking = rank(cell);
  for (const Arms* arms : {&ranking.ranked, &ranking.others, &ranking.yardstick}) {
    for (const Arm* arm : *arms) {
      if (arm->id == cell.baseline && arm->status == Status::ok) continue;
      const Comparison* comparison = find_comparison(cell, arm->id, main_metric_name(cell));
      const Marking marking = marking_of(cell, *arm);
      Fields fields;
      fields.text("symbol", marking.symbol).text("tone", marking.tone).prose("sentence", verdict_sentence(cell, *arm));
      // A reason for what was judged: of a yardstick or a twin the counters differ for no verdict's sake.
      const bool judged = comparison != nullptr && comparison->verdict;
      fields.prose("why", judged ? why(result, cell, *comparison) : "");
      fields.prose("differs", judged ? also_differs(cell, *comparison) : "");
      list.push_back(std::move(fields));
    }
  }
  return list;
}

// Ratios of one metric, arms in the order of the tables.
List ratio_rows(const Cell& cell, const std::string& metric) {
  List rows;
  for (const Arm* arm : rank(cell).with_numbers()) {
    const Comparison* comparison = find_comparison(cell, arm->id, metric);
    if (comparison == nullptr || !comparison->ratio) continue;
    const Marking marking = marking_of(cell, *arm, metric);
    Fields fields;
    fields.text("arm", arm->id).flag("long", is_long_name(arm->id));
    fields.text("ratio", format_ratio(*comparison->ratio)).text("interval", interval_words(*comparison));
    fields.text("tone", marking.tone).text("symbol", marking.symbol).text("word", marking.word);
    fields.text("limit", comparison->limit ? limit_words(*comparison->limit) : "");
    rows.push_back(std::move(fields));
  }
  return rows;
}

// Ratios of what arms are not ranked by, a group for each metric: CPU times, mostly.
List other_ratios(const Cell& cell) {
  List list;
  std::set<std::string> told = {main_metric_name(cell)};
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (!told.insert(comparison->metric).second) continue;
    const Metric* metric = find_metric(*find_arm(cell, comparison->baseline), comparison->metric);
    const bool lower = metric != nullptr && metric->better == "lower";
    Fields fields;
    fields.text("metric", metric_words(comparison->metric)).text("better", lower ? "lower is better" : "");
    const List rows = ratio_rows(cell, comparison->metric);
    if (!rows.empty()) list.push_back(std::move(fields.list("ratios", rows)));
  }
  return list;
}

bool has_cpu_verdicts(const std::vector<const Comparison*>& comparisons, const std::string& main) {
  return std::any_of(comparisons.begin(), comparisons.end(), [&](const Comparison* comparison) {
    return comparison->metric.starts_with("cpu_") && comparison->metric != main && comparison->verdict;
  });
}

// Blocks are never dropped; what was unusual about them is said.
List flagged_blocks(const Cell& cell) {
  List list;
  for (const Arm* arm : rank(cell).with_numbers()) {
    if (const std::string words = flags_sentence(flag_counts({arm}), "block", "blocks"); !words.empty())
      list.push_back(std::move(Fields().prose("flagged", arm->id + ": " + words)));
  }
  return list;
}

// Its own plot for every arm but the baseline; alone, the baseline has one too.
List dots_of(const Cell& cell) {
  List list;
  const Arms arms = rank(cell).with_numbers();
  for (const Arm* arm : arms) {
    if (arm->id == cell.baseline && arms.size() > 1) continue;
    if (const std::string plot = dots_plot(cell, *arm); !plot.empty())
      list.push_back(std::move(Fields().plot("plot", plot)));
  }
  return list;
}

Fields fields_of(const Result& result, const Cell& cell, bool first) {
  Fields fields;
  fields.text("anchor", anchor_of(result, cell)).id("cell", cell.id);
  fields.text("run", cell.run).text("workload", cell.workload).flag("open", first);
  const auto damping = damping_of(result, cell);
  fields.prose("counted", counted_words(cell)).prose("damped", damping ? damping_sentence(cell, *damping) : "");
  const Arm* baseline = find_arm(cell, cell.baseline);
  const bool lost = baseline != nullptr && baseline->status != Status::ok;
  fields.text(
      "no_baseline",
      lost ? fmt::format("No ratios: the baseline {} has no number, {}", baseline->id, status_words(*baseline)) : "");
  fields.part("figures", table_fields(cell_table(result, cell)));
  const std::vector<const Comparison*> valid = valid_comparisons(cell);
  fields.flag("paired", std::any_of(valid.begin(), valid.end(), [](const Comparison* each) { return each->ratio; }));
  fields.list("others", other_ratios(cell)).flag("cpu_words", has_cpu_verdicts(valid, main_metric_name(cell)));
  fields.list("sentences", sentences_of(result, cell)).list("flags", flagged_blocks(cell)).list("dots", dots_of(cell));
  fields.plot("quantiles", quantile_plot(cell)).plot("cpu", cpu_bars(cell));
  add_proof(fields, cell);
  return fields;
}

}  // namespace

bool is_long_name(const std::string& name) { return display_width(name) > 24; }

Fields table_fields(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    if (has_text(table, column)) shown.push_back(column);

  struct Heading {
    std::string words;
    std::size_t span = 0;
  };
  std::vector<Heading> groups;
  List titles, rows;
  for (const std::size_t column : shown) {
    const Column& heading = table.columns[column];
    if (groups.empty() || groups.back().words != heading.group) groups.push_back({heading.group, 0});
    ++groups.back().span;
    titles.push_back(std::move(Fields().text("title", heading.title).flag("left", heading.align == Align::left)));
  }
  for (const Row& row : table.rows) {
    List entries;
    for (const std::size_t column : shown) {
      if (column == 0 || column >= row.entries.size()) continue;
      const Entry& entry = row.entries[column];
      Fields field;
      field.text("entry", entry.text).text("tone", tone_of(entry.style));
      entries.push_back(std::move(field.flag("left", table.columns[column].align == Align::left)));
    }
    Fields fields;
    const std::string name = row.entries.empty() ? "" : row.entries.front().text;
    fields.text("name", name).flag("long", is_long_name(name)).flag("apart", row.set_apart);
    fields.text("message", row.message).text("span", std::to_string(std::max<std::size_t>(1, shown.size() - 1)));
    rows.push_back(std::move(fields.list("entries", row.message.empty() ? entries : List())));
  }
  List heads;
  for (const Heading& group : groups)
    heads.push_back(std::move(Fields().text("group", group.words).text("span", std::to_string(group.span))));
  Fields fields;
  fields.list("groups", heads).list("titles", titles).list("rows", rows);
  return fields;
}

void add_cells(Fields& page, const Result& result) {
  List cells;
  for (const Cell& cell : result.cells) cells.push_back(fields_of(result, cell, cells.empty()));
  page.list("cells", cells);
}

}  // namespace tlsrig::report::html
