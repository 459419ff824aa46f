// Cells, arms and thresholds as tables of GitHub's Markdown.
#include <tlsrig/report/markdown/markdown_tables.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/markdown/markdown_escape.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/thresholds.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

using Line = std::vector<std::string>;

// Entries are Markdown already. The first column is text, the others are numbers.
std::string table(const Line& heading, const std::vector<Line>& rows) {
  const auto line = [](const Line& entries) { return "| " + joined(entries, " | ") + " |\n"; };
  std::string text = "\n" + line(heading) + "|";
  for (std::size_t column = 0; column < heading.size(); ++column) text += column == 0 ? " --- |" : " ---: |";
  text += "\n";
  for (const Line& row : rows) text += line(row);
  return text;
}

std::string ratio_entry(const Comparison& comparison) {
  std::string text;
  if (comparison.verdict) text = std::string(mark_of(*comparison.verdict)) + " ";
  text += format_ratio(*comparison.ratio);
  if (const std::string interval = interval_words(comparison); !interval.empty()) text += " (" + interval + ")";
  return text;
}

std::string value_entry(const Arm& arm, const std::string& name) {
  const Metric* metric = find_metric(arm, name);
  return metric != nullptr && metric->value ? markdown_text(value_words(*metric->value, metric->unit)) : "-";
}

// An arm in a cell's row: its ratio, or why there is none.
std::string arm_entry(const Cell& cell, const Arm& arm, const std::string& metric) {
  if (arm.status != Status::ok) return "**" + std::string(words_for(arm.status)) + "**";
  if (arm.id == cell.baseline) return value_entry(arm, metric);
  const Comparison* comparison = find_comparison(cell, arm.id, metric);
  return comparison != nullptr && comparison->ratio ? ratio_entry(*comparison) : "no ratio";
}

std::string limit_entry(const Cell& cell, const std::string& metric) {
  const std::optional<double> limit = limit_of(cell, metric);
  return limit ? limit_words(*limit) : "-";
}

// The arms of a row of cells: the baseline first, then the others; twins show in the limit.
std::vector<const Arm*> columns_of(const Cell& cell) {
  std::vector<const Arm*> arms;
  for (const Arm& arm : cell.arms) {
    if (!arm.twin) arms.push_back(&arm);
  }
  const auto place = [&](const Arm* arm) { return arm->id == cell.baseline ? 0 : is_yardstick(cell, *arm) ? 2 : 1; };
  std::stable_sort(arms.begin(), arms.end(),
                   [&](const Arm* left, const Arm* right) { return place(left) < place(right); });
  return arms;
}

bool same_arms(const Cell& left, const Cell& right) {
  const auto same = [](const Arm& one, const Arm& other) { return one.id == other.id; };
  return left.baseline == right.baseline &&
         std::equal(left.arms.begin(), left.arms.end(), right.arms.begin(), right.arms.end(), same);
}

using Cells = std::vector<const Cell*>;

std::string legend(const std::string& baseline, const std::string& metric) {
  return fmt::format(
      "\nRatio to {} in {}, with its 95 % interval. ▲ faster or smaller, ▼ slower or larger, △ ▽ likely so but no "
      "proof, = equivalent, ? inconclusive. A verdict needs the whole interval beyond the limit.\n",
      markdown_text(baseline), markdown_text(metric_words(metric)));
}

// Cells and arms by one metric; all cells have the same arms.
std::string metric_table(const Cells& cells, const std::string& metric) {
  const std::vector<const Arm*> arms = columns_of(*cells.front());
  Line heading = {""};
  for (const Arm* arm : arms)
    heading.push_back(markdown_text(arm->id) + (arm->id == cells.front()->baseline ? " (baseline)" : ""));
  heading.push_back("limit");
  std::vector<Line> rows;
  for (const Cell* cell : cells) {
    const std::string words = cell_words(*cell);
    Line row = {markdown_text(words.empty() ? cell->id : words)};
    for (const Arm* arm : arms) row.push_back(arm_entry(*cell, *find_arm(*cell, arm->id), metric));
    row.push_back(limit_entry(*cell, metric));
    rows.push_back(std::move(row));
  }
  return table(heading, rows);
}

// The metric that a table of cells is made by: that of the first cell with a number.
std::string metric_of(const Cells& cells) {
  for (const Cell* cell : cells)
    if (std::string name = main_metric_name(*cell); !name.empty()) return name;
  return "";
}

// CPU ratios are folded away: they are of interest where the throughput leaves something open.
std::string cpu_tables(const Cells& cells) {
  std::vector<std::string> sides;
  for (const Cell* cell : cells) {
    for (const Comparison* comparison : valid_comparisons(*cell))
      if (const std::string_view side = side_of(comparison->metric); !side.empty()) sides.emplace_back(side);
  }
  std::string text;
  for (const std::string& side : along_path(std::move(sides)))
    text += "\n" + markdown_text(metric_words("cpu_" + side)) + "\n" + metric_table(cells, "cpu_" + side);
  if (text.empty()) return "";
  return "\n<details>\n<summary>CPU time per operation, as ratios</summary>\n" + text + "\n</details>\n";
}

// What the numbers of these cells are, each wording once.
std::string counted_text(const Cells& cells) {
  std::vector<std::pair<std::string, Cells>> list;
  for (const Cell* cell : cells) {
    const std::string words = counted_words(*cell);
    if (words.empty()) continue;
    const auto known = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == words; });
    (known == list.end() ? list.emplace_back(words, Cells()) : *known).second.push_back(cell);
  }
  std::string text;
  for (const auto& [words, where] : list) {
    const std::string place = list.size() == 1 ? ""
                              : where.size() == 1
                                  ? fmt::format(" ({})", where.front()->id)
                                  : fmt::format(" ({} cells, such as {})", where.size(), where.front()->id);
    text += "\n" + markdown_text("Counted: " + words + "." + place) + "\n";
  }
  return text;
}

std::string compact_tables(const Cells& cells) {
  const std::string metric = metric_of(cells);
  return metric_table(cells, metric) + legend(cells.front()->baseline, metric) + cpu_tables(cells);
}

std::string verdict_entry(const Cell& cell, const Arm& arm) {
  if (arm.status != Status::ok) return "**" + markdown_text(status_words(arm)) + "**";
  if (arm.id == cell.baseline) return "baseline";
  if (arm.twin) return "A/A twin";
  const Comparison* comparison = find_comparison(cell, arm.id, main_metric_name(cell));
  if (comparison == nullptr) return "no ratio";
  if (is_yardstick(cell, arm)) return "no TLS, not ranked";
  const Arm* baseline = find_arm(cell, cell.baseline);
  if (baseline != nullptr && is_yardstick(cell, *baseline)) return "no verdict: the baseline has no TLS";
  if (!comparison->verdict) return "too few blocks";
  return fmt::format("{} {}", mark_of(*comparison->verdict), markdown_text(*comparison->verdict));
}

// Metrics worth a column: what it is ranked by, CPU of each side along the path, the usual percentiles.
std::vector<std::string> metrics_of(const Cell& cell) {
  std::vector<std::string> names, sides, times;
  if (const std::string main = main_metric_name(cell); !main.empty()) names.push_back(main);
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok) continue;
    for (const Metric& metric : arm.metrics) {
      if (const std::string_view side = side_of(metric.name); !side.empty()) sides.emplace_back(side);
      const bool wanted = metric.name.ends_with("_p50") || metric.name.ends_with("_p99");
      if (wanted && std::find(times.begin(), times.end(), metric.name) == times.end()) times.push_back(metric.name);
    }
  }
  for (const std::string& side : along_path(std::move(sides))) names.push_back("cpu_" + side);
  names.insert(names.end(), times.begin(), times.end());
  return names;
}

std::string cell_block(const Cell& cell) {
  const std::vector<std::string> metrics = metrics_of(cell);
  Line heading = {"arm", "verdict", "ratio (95 % interval)"};
  for (const std::string& name : metrics) heading.push_back(markdown_text(metric_words(name)));
  const Ranking ranking = rank(cell);
  std::vector<Line> rows;
  for (const auto* list : {&ranking.ranked, &ranking.others, &ranking.yardstick}) {
    for (const Arm* arm : *list) {
      const Comparison* comparison = find_comparison(cell, arm->id, main_metric_name(cell));
      const bool has_ratio = arm->status == Status::ok && comparison != nullptr && comparison->ratio;
      Comparison bare = has_ratio ? *comparison : Comparison{};
      bare.verdict.reset();  // it has a column of its own
      Line row = {markdown_text(arm->id), verdict_entry(cell, *arm), has_ratio ? ratio_entry(bare) : ""};
      for (const std::string& name : metrics) row.push_back(arm->status == Status::ok ? value_entry(*arm, name) : "");
      rows.push_back(std::move(row));
    }
  }
  return fmt::format("\n**{}**, limit {}\n", markdown_text(cell.id), limit_entry(cell, main_metric_name(cell))) +
         table(heading, rows);
}

}  // namespace

std::string markdown_tables(const Result& result) {
  std::vector<Cells> scenarios;
  for (const Cell& cell : result.cells) {
    const bool known = !scenarios.empty() && scenarios.back().front()->scenario == cell.scenario &&
                       scenarios.back().front()->run == cell.run;
    if (!known) scenarios.emplace_back();
    scenarios.back().push_back(&cell);
  }
  std::string text;
  for (const Cells& cells : scenarios) {
    const Cell& first = *cells.front();
    text += "\n### " + markdown_text(first.scenario + (first.run.empty() ? "" : " (" + first.run + ")")) + "\n";
    if (const std::string settings = settings_words(result, first); !settings.empty())
      text += "\n" + markdown_text(settings) + "\n";
    text += counted_text(cells);
    const bool alike =
        std::all_of(cells.begin(), cells.end(), [&](const Cell* cell) { return same_arms(first, *cell); });
    if (alike && cells.size() > 1) {
      text += compact_tables(cells);
      continue;
    }
    for (const Cell* cell : cells) text += cell_block(*cell);
    text += legend(first.baseline, metric_of(cells));
  }
  return text;
}

std::string markdown_thresholds(const Result& result) {
  if (result.thresholds.empty()) return "";
  std::vector<Line> rows;
  for (const Threshold& threshold : result.thresholds) {
    std::string outcome = !threshold.held ? "not judged" : *threshold.held ? "held" : "**not held**";
    if (threshold.reason) outcome += ": " + markdown_text(*threshold.reason);
    rows.push_back({markdown_text(threshold.metric + ": " + threshold.expr), markdown_text(threshold.cell),
                    markdown_text(threshold.arm), threshold.value ? markdown_text(threshold_value(threshold)) : "-",
                    outcome});
  }
  return "\n### Thresholds\n" + table({"demanded", "cell", "arm", "worst end of the interval", "outcome"}, rows);
}

}  // namespace tlsrig::report
