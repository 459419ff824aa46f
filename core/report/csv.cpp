// The result as a table of plain text: a row per cell, arm and metric.
//
// RFC 4180 in all but the line ends, which are line feeds: a carriage return would stick to the last column in every
// tool that reads lines, and spreadsheets take both. No entry holds a line break, so that a line is a row.
#include <cmath>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

constexpr std::string_view heading =
    "scenario,cell,arm,backend,variant,twin,status,reason,metric,unit,better,value,low,high,n,baseline,ratio,ratio_low,"
    "ratio_high,limit,verdict,run,description";

// A spreadsheet takes a text that begins like this for a formula and runs it. Reasons come from libraries and ids from
// scenario files, so such a text gets an apostrophe in front, which spreadsheets take as "this is text".
bool looks_like_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
}

std::string text_entry(std::string_view text) {
  std::string entry = one_line(valid_utf8(text));
  if (looks_like_formula(entry)) entry.insert(0, 1, '\'');
  if (entry.find_first_of(",\"") == std::string::npos) return entry;
  std::string quoted = "\"";
  for (const char byte : entry) quoted += byte == '"' ? std::string("\"\"") : std::string(1, byte);
  return quoted + '"';
}

std::string told_entry(const std::optional<std::string>& text) { return text ? text_entry(*text) : ""; }

// The shortest spelling that reads as the same number; nothing for one that is none.
std::string number_entry(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : "";
}

std::string row_start(const Cell& cell, const Arm& arm) {
  std::string row;
  for (const std::string& entry :
       {text_entry(cell.scenario), text_entry(cell.id), text_entry(arm.id), text_entry(arm.backend),
        told_entry(arm.variant), std::string(arm.twin ? "true" : "false"), std::string(words_for(arm.status)),
        told_entry(arm.reason)})
    row += entry + ',';
  return row;
}

std::string metric_row(const Cell& cell, const Arm& arm, const Metric& metric) {
  const Comparison* comparison = find_comparison(cell, arm.id, metric.name);
  const Comparison none;
  const Comparison& compared = comparison != nullptr ? *comparison : none;
  std::string row = row_start(cell, arm);
  for (const std::string& entry :
       {text_entry(metric.name), text_entry(metric.unit), text_entry(metric.better), number_entry(metric.value),
        number_entry(metric.low), number_entry(metric.high), std::to_string(metric.n), text_entry(cell.baseline),
        number_entry(compared.ratio), number_entry(compared.low), number_entry(compared.high),
        number_entry(compared.limit), told_entry(compared.verdict), text_entry(cell.run),
        text_entry(metric.description)})
    row += entry + ',';
  row.back() = '\n';
  return row;
}

}  // namespace

std::string to_csv(const Result& result) {
  std::string text(heading);
  text += '\n';
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      if (arm.status == Status::ok && !arm.metrics.empty()) {
        for (const Metric& metric : arm.metrics) text += metric_row(cell, arm, metric);
      } else {
        text += row_start(cell, arm) + ",,,,,,," + text_entry(cell.baseline) + ",,,,,," + text_entry(cell.run) + ",\n";
      }
    }
  }
  return text;
}

}  // namespace tlsrig::report
