// The terminal's form of a comparison of two runs.
#include <tlsrig/report/terminal/comparison_text.hpp>

#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

Style style_of(const MetricChange& metric) {
  if (!metric.change) return Style::faint;
  switch (*metric.change) {
    case Change::better:
      return Style::good;
    case Change::worse:
      return Style::bad;
    case Change::likely_better:
    case Change::likely_worse:
      return Style::caution;
    default:
      return Style::plain;
  }
}

Row metric_row(const ArmChange& arm, const MetricChange& metric) {
  Row row;
  row.entries = {{one_line(arm.id + " " + metric_words(metric.name))},
                 {ratio_words(metric.old_ratio)},
                 {ratio_words(metric.new_ratio)},
                 {ratio_words(metric.ratio)},
                 {interval_words(metric.low, metric.high)},
                 {change_words(arm, metric), style_of(metric)},
                 {value_words(metric.old_value, metric.unit)},
                 {value_words(metric.new_value, metric.unit)}};
  return row;
}

std::string cell_text(const CellChange& cell, const TextOptions& options) {
  std::string text = "\n" + painted(one_line(cell.id), Style::strong, options.colour) + "\n";
  std::string about;
  if (!cell.reference.empty())
    about = fmt::format("reference {}, {} and {}", cell.reference, counted(cell.old_blocks, "block", "blocks"),
                        cell.new_blocks);
  if (!cell.note.empty()) about += (about.empty() ? "" : "; ") + cell.note;
  if (!about.empty()) text += wrapped(one_line(about), options.width, "  ", "  ");

  Table table;
  const std::string ratios = "arm / " + (cell.reference.empty() ? "reference" : one_line(cell.reference));
  table.columns = {{"", "", Align::left},
                   {ratios, "OLD"},
                   {ratios, "NEW"},
                   {"NEW / OLD", "ratio"},
                   {"NEW / OLD", "95 % interval", Align::left},
                   {"", "change", Align::left},
                   {"not comparable", "OLD", Align::right},
                   {"not comparable", "NEW", Align::right}};
  for (const ArmChange& arm : cell.arms) {
    bool first = true;
    for (const MetricChange& metric : arm.metrics) {
      table.rows.push_back(metric_row(arm, metric));
      table.rows.back().set_apart = std::exchange(first, false) && table.rows.size() > 1;
    }
    if (arm.reason.empty()) continue;
    Row row;
    row.entries.resize(table.columns.size());
    row.entries[0].text = one_line(arm.id);
    row.message = one_line((arm.lost() ? "LOST: " : "") + arm.reason);
    row.message_style = arm.lost() ? Style::bad : Style::caution;
    table.rows.push_back(std::move(row));
  }
  text += "\n" + to_text(table, options.width, options.colour);
  for (const std::string& reason : reasons_of(cell)) text += wrapped(one_line(reason), options.width, "  ", "    ");
  return text;
}

}  // namespace

std::string to_text(const RunComparison& comparison, const TextOptions& options) {
  const auto head = [&](std::string_view label, const std::string& name, const std::string& about) {
    return wrapped(one_line(name + (about.empty() ? "" : ", " + about)), options.width, label, "     ");
  };
  std::string text = head("OLD  ", comparison.old_name, comparison.old_about) +
                     head("NEW  ", comparison.new_name, comparison.new_about);
  for (const std::string& warning : comparison.warnings)
    text += wrapped(one_line(warning), options.width, painted("!", Style::caution, options.colour) + " ", "  ");
  for (const std::string& left_out : comparison.left_out)
    text += wrapped("left out: " + one_line(left_out), options.width, "  ", "    ");
  for (const CellChange& cell : comparison.cells) text += cell_text(cell, options);
  text += "\n";
  auto sentences = findings_of(comparison);
  sentences.emplace_back(compare_in_one_run);
  for (const std::string& sentence : sentences) text += wrapped(one_line(sentence), options.width, "", "  ");
  return text;
}

}  // namespace tlsrig::report
