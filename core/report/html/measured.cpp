// What was measured, before what came out.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/machine.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

std::string text_at(const Json& json, std::string_view path) {
  const Json* found = find_path(json, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::vector<const Cell*> cells_of(const Result& result, const ScenarioRecord& scenario) {
  std::vector<const Cell*> cells;
  for (const Cell& cell : result.cells)
    if (cell.scenario == scenario.name && (scenario.run.empty() || cell.run == scenario.run)) cells.push_back(&cell);
  return cells;
}

// "8 blocks of 200ms"; "12 to 40 blocks" where cells took as many as they needed. Empty where nothing was measured.
std::string block_words(const std::vector<const Cell*>& cells, const Json& effective) {
  std::set<std::size_t> counts;
  for (const Cell* cell : cells) {
    for (const Arm& arm : cell->arms)
      if (arm.status == Status::ok && !arm.blocks.empty()) counts.insert(arm.blocks.size());
  }
  if (counts.empty()) return "";
  const std::size_t least = *counts.begin(), most = *counts.rbegin();
  const std::string words =
      least == most ? counted(most, "block", "blocks") : fmt::format("{} to {} blocks", least, most);
  const std::string time = text_at(effective, "measure.block");
  return words + (time.empty() ? "" : " of " + time);
}

// "3 cells, each of 8 blocks of 200ms; ratios are to openssl".
std::string extent_words(const Result& result, const ScenarioRecord& scenario) {
  const std::vector<const Cell*> cells = cells_of(result, scenario);
  std::string words = counted(cells.size(), "cell", "cells");
  const std::string blocks = block_words(cells, scenario.effective);
  if (!blocks.empty()) words += (cells.size() == 1 ? " of " : ", each of ") + blocks;
  std::vector<std::string> baselines;
  for (const Cell* cell : cells) {
    if (std::find(baselines.begin(), baselines.end(), cell->baseline) == baselines.end())
      baselines.push_back(cell->baseline);
  }
  return words + (baselines.empty() ? "" : "; ratios are to " + joined(baselines, ", "));
}

}  // namespace

namespace {

// What each metric is; a row for each wording.
List meaning_rows(const Result& result) {
  List rows;
  for (const Meaning& meaning : meanings(result)) {
    Fields fields;
    fields.text("name", metric_words(meaning.metric)).text("unit", meaning.unit);
    fields.text("better", meaning.better).prose("meaning", meaning.description);
    fields.text("where", where_words(meaning));
    rows.push_back(std::move(fields));
  }
  return rows;
}

}  // namespace

void add_measured(Fields& page, const Result& result) {
  List measured, machines;
  for (const ScenarioRecord& scenario : result.scenarios) {
    Fields fields;
    fields.text("scenario", scenario.name).text("run", scenario.run);
    fields.prose("description", text_at(scenario.effective, "description"));
    fields.prose("extent", extent_words(result, scenario));
    measured.push_back(std::move(fields));
  }
  const auto add_machine = [&](const std::string& label, const Json& machine) {
    const std::string words = machine_words(machine, false);
    if (!words.empty()) machines.push_back(std::move(Fields().text("label", label).prose("machine", words)));
  };
  for (const RunRecord& run : result.runs) add_machine(run.label, run.machine);
  if (result.runs.empty()) add_machine("", result.machine);
  page.list("measured", measured).list("machines", machines).list("meanings", meaning_rows(result));
}

}  // namespace tlsrig::report::html
