// A comparison of two runs as GitHub's Markdown.
#include <fmt/format.h>

#include <tlsrig/report/markdown/markdown_escape.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/run_comparison.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string head(const std::string& name, const std::string& about) {
  return markdown_text(name + (about.empty() ? "" : ", " + about));
}

std::string change_entry(const ArmChange& arm, const MetricChange& metric) {
  const std::string words = change_words(arm, metric);
  return metric.change == Change::worse || metric.change == Change::better ? "**" + words + "**" : words;
}

// What a reviewer has to see: changes that are told apart, and those that are likely.
bool is_notable(const MetricChange& metric) {
  return metric.change && *metric.change != Change::unchanged && *metric.change != Change::inconclusive;
}

std::string notable_table(const RunComparison& comparison) {
  std::string rows;
  for (const CellChange& cell : comparison.cells)
    for (const ArmChange& arm : cell.arms)
      for (const MetricChange& metric : arm.metrics)
        if (is_notable(metric))
          rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_text(cell.id), markdown_text(arm.id),
                              markdown_text(metric_words(metric.name)), ratio_words(metric.ratio),
                              interval_words(metric.low, metric.high), change_entry(arm, metric));
  if (rows.empty()) return "";
  return "\n| cell | arm | metric | NEW / OLD | 95 % interval | change |\n|---|---|---|---:|---|---|\n" + rows;
}

std::string cell_section(const CellChange& cell) {
  std::string text = fmt::format("\n#### {}\n\n", markdown_text(cell.id));
  if (!cell.reference.empty())
    text += fmt::format("Reference {}, {} and {}. ", markdown_text(cell.reference),
                        counted(cell.old_blocks, "block", "blocks"), cell.new_blocks);
  if (!cell.note.empty()) text += markdown_text(cell.note) + ".";
  std::string rows, reasons;
  for (const ArmChange& arm : cell.arms) {
    if (!arm.reason.empty())
      reasons +=
          fmt::format("- {}{}: {}\n", arm.lost() ? "**LOST** " : "", markdown_text(arm.id), markdown_text(arm.reason));
    for (const MetricChange& metric : arm.metrics)
      rows += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", markdown_text(arm.id),
                          markdown_text(metric_words(metric.name)), ratio_words(metric.old_ratio),
                          ratio_words(metric.new_ratio), ratio_words(metric.ratio),
                          interval_words(metric.low, metric.high), change_entry(arm, metric),
                          value_words(metric.old_value, metric.unit), value_words(metric.new_value, metric.unit));
  }
  if (!rows.empty())
    text +=
        "\n\n| arm | metric | ratio OLD | ratio NEW | NEW / OLD | 95 % interval | change | OLD, not comparable | "
        "NEW, not comparable |\n|---|---|---:|---:|---:|---|---|---:|---:|\n" +
        rows;
  for (const std::string& reason : reasons_of(cell)) reasons += fmt::format("- {}\n", markdown_text(reason));
  if (!reasons.empty()) text += "\n" + reasons;
  return text;
}

}  // namespace

std::string to_markdown(const RunComparison& comparison) {
  std::string text =
      fmt::format("### tlsrig compare\n\nOLD: {}  \nNEW: {}\n\n", head(comparison.old_name, comparison.old_about),
                  head(comparison.new_name, comparison.new_about));
  const auto findings = findings_of(comparison);
  for (const std::string& sentence : findings) {
    const bool loud = sentence.starts_with("LOST") || sentence.starts_with("WORSE") || sentence.starts_with("NOTHING");
    text += loud ? fmt::format("- **{}**\n", markdown_text(sentence)) : fmt::format("- {}\n", markdown_text(sentence));
  }
  for (const std::string& warning : comparison.warnings) text += fmt::format("- ⚠ {}\n", markdown_text(warning));
  for (const std::string& left_out : comparison.left_out)
    text += fmt::format("- left out: {}\n", markdown_text(left_out));
  std::string hint(compare_in_one_run);
  constexpr std::string_view option = "--variant NAME=PLUGIN:DIR";
  if (const std::size_t at = hint.find(option); at != std::string::npos)
    hint.replace(at, option.size(), markdown_code(option));  // as code: it is to be copied
  text += "- " + hint + "\n" + notable_table(comparison);
  text += fmt::format("\n<details><summary>All {} cells</summary>\n", comparison.cells.size());
  for (const CellChange& cell : comparison.cells) text += cell_section(cell);
  return text +
         "\nEach ratio is an arm's to the reference that ran beside it in the same blocks; NEW / OLD is the "
         "Hodges-Lehmann shift of their logarithms with its exact rank-sum interval.\n\n</details>\n";
}

}  // namespace tlsrig::report
