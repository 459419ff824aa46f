// One cell: figures, reasons, plots, proof.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <tlsrig/report/html/cpu_bars.hpp>
#include <tlsrig/report/html/dots_plot.hpp>
#include <tlsrig/report/html/quantile_plot.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/cell_table.hpp>
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
List sentences_of(const Cell& cell) {
  List list;
  const Ranking ranking = rank(cell);
  for (const Arms* arms : {&ranking.ranked, &ranking.others, &ranking.yardstick}) {
    for (const Arm* arm : *arms) {
      if (arm->id == cell.baseline && arm->status == Status::ok) continue;
      const Comparison* comparison = find_comparison(cell, arm->id, main_metric_name(cell));
      const Marking marking = marking_of(cell, *arm);
      Fields fields;
      fields.text("symbol", marking.symbol).text("tone", marking.tone).text("sentence", verdict_sentence(cell, *arm));
      fields.text("why", comparison && !arm->twin ? why(cell, *comparison) : "");
      list.push_back(std::move(fields));
    }
  }
  return list;
}

// Ratios of what arms are not ranked by: CPU times, mostly.
List other_ratios(const Cell& cell) {
  List list;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric == main_metric_name(cell) || !comparison->ratio) continue;
    const Marking marking = marking_of(cell, *find_arm(cell, comparison->arm), comparison->metric);
    Fields fields;
    fields.text("metric", metric_words(comparison->metric)).text("arm", comparison->arm);
    fields.text("ratio", format_ratio(*comparison->ratio)).text("interval", interval_words(*comparison));
    fields.text("tone", marking.tone).text("symbol", marking.symbol).text("word", marking.word);
    fields.text("limit", comparison->limit ? limit_words(*comparison->limit) : "");
    list.push_back(std::move(fields));
  }
  return list;
}

// Blocks are never dropped; what was unusual about them is said.
List flagged_blocks(const Cell& cell) {
  List list;
  for (const Arm& arm : cell.arms) {
    std::map<std::string, std::size_t> flags;
    for (const Block& block : arm.blocks) {
      for (const std::string& flag : block.flags) ++flags[flag];
    }
    if (flags.empty() || arm.status != Status::ok) continue;
    std::vector<std::string> words;
    for (const auto& [flag, count] : flags) words.push_back(fmt::format("{} in {}", with_spaces(flag), count));
    list.push_back(std::move(Fields().text("flagged", fmt::format("{}: {} of {} flagged", arm.id, joined(words, ", "),
                                                                  counted(arm.blocks.size(), "block", "blocks")))));
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
  fields.text("anchor", anchor_of(result, cell)).text("cell", cell.id);
  fields.text("run", cell.run).text("workload", cell.workload).flag("open", first);
  const Arm* baseline = find_arm(cell, cell.baseline);
  const bool lost = baseline != nullptr && baseline->status != Status::ok;
  fields.text(
      "no_baseline",
      lost ? fmt::format("No ratios: the baseline {} has no number, {}", baseline->id, status_words(*baseline)) : "");
  fields.part("figures", table_fields(cell_table(result, cell)));
  fields.list("others", other_ratios(cell));
  fields.list("sentences", sentences_of(cell)).list("flags", flagged_blocks(cell)).list("dots", dots_of(cell));
  fields.plot("quantiles", quantile_plot(cell)).plot("cpu", cpu_bars(cell));
  add_proof(fields, cell);
  return fields;
}

}  // namespace

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
    fields.text("name", row.entries.empty() ? "" : row.entries.front().text).flag("apart", row.set_apart);
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
