// The result for a pull request, an issue or a README.
#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/markdown/markdown_escape.hpp>
#include <tlsrig/report/markdown/markdown_tables.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/machine.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string heading(const Result& result) {
  std::vector<std::string> names;
  for (const Cell& cell : result.cells) {
    if (std::find(names.begin(), names.end(), cell.scenario) == names.end()) names.push_back(cell.scenario);
  }
  return "## tlsrig" + (names.empty() ? "" : ": " + markdown_text(joined(names, ", "))) + "\n";
}

// What makes the whole of it worth less, before anything else is read.
std::string banners(const std::vector<Warning>& warnings) {
  std::string text;
  for (const Warning& warning : warnings) {
    if (!warning.about_all) continue;
    text += fmt::format("{}> **{}:** {}\n", text.empty() ? "\n" : ">\n", markdown_text(warning.subject),
                        markdown_text(warning.text));
  }
  return text;
}

std::string bullets(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = fmt::format("\n### {}\n\n", title);
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

std::string conclusions_section(const Result& result) {
  const std::vector<Conclusion> all = conclusions(result);
  std::set<std::string> scenarios;
  for (const Conclusion& conclusion : all) scenarios.insert(conclusion.scenario);
  std::vector<std::string> lines;
  for (const Conclusion& conclusion : all) {
    const std::string scenario = scenarios.size() > 1 ? markdown_text(conclusion.scenario) + ": " : "";
    lines.push_back(scenario + markdown_text(conclusion.sentence));
  }
  const std::string twins = resolution_sentence(result);
  if (!twins.empty() && resolution_banner(result).empty()) lines.push_back(markdown_text(twins));
  return bullets("Conclusions", lines);
}

std::string reasons_section(const Result& result) {
  std::vector<std::string> causes, others;
  for (const Reason& reason : reasons(result)) {
    const std::string where = reason.cells.size() == 1
                                  ? reason.cells.front()->id
                                  : counted(reason.cells.size(), "cell", "cells") + " of " + reason.scenario;
    (reason.likely ? causes : others)
        .push_back(
            markdown_text(fmt::format("{} against {}, {}: {}", reason.arm, reason.baseline, where, reason.words)));
  }
  return bullets("Why", causes) + bullets("What else differs", others);
}

std::string warnings_section(const std::vector<Warning>& warnings) {
  std::vector<std::string> lines;
  for (const Warning& warning : warnings) {
    if (!warning.about_all) lines.push_back(markdown_text(warning.subject + ": " + warning.text));
  }
  return bullets("Warnings", lines);
}

// What each metric is, folded away.
std::string meanings_section(const Result& result) {
  std::string lines;
  for (const Meaning& meaning : meanings(result)) {
    const std::string where = where_words(meaning);
    lines += "- " +
             markdown_text(fmt::format("{} ({}): {}{}", metric_words(meaning.metric), meaning.unit, meaning.description,
                                       where.empty() ? "" : " " + where)) +
             "\n";
  }
  if (lines.empty()) return "";
  return "\n<details>\n<summary>What the numbers count</summary>\n\n" + lines + "\n</details>\n";
}

std::string details(const Result& result) {
  std::vector<std::string> lines;
  for (const BackendRecord& backend : result.backends) {
    std::string line = markdown_text(name_of(backend) + (backend.run.empty() ? "" : " (" + backend.run + ")") + ": " +
                                     (backend.library.empty() ? "version not told" : backend.library));
    for (const LibraryFile& file : backend.files)
      line += ", " + markdown_code(file.path) +
              (file.build_id.empty() ? " without build-id" : " build-id " + markdown_code(file.build_id));
    lines.push_back(line);
  }
  if (const std::string machine = machine_words(result.machine, false); !machine.empty())
    lines.push_back("machine: " + markdown_text(machine));
  for (const RunRecord& run : result.runs)
    lines.push_back(markdown_text(run.label + ": seed " + std::to_string(run.seed)) + ", " +
                    markdown_code(command_text(run.command)));
  if (!result.started.empty()) lines.push_back("started: " + markdown_text(result.started));
  if (result.runs.empty()) lines.push_back(fmt::format("seed: {}", result.seed));
  if (!result.version.empty()) lines.push_back("tlsrig " + markdown_text(result.version));
  std::string text = "\n<details>\n<summary>Builds, machine, command</summary>\n\n";
  for (const std::string& line : lines) text += "- " + line + "\n";
  if (!result.command.empty()) text += "\n" + markdown_block(command_text(result.command));
  return text + "\n</details>\n";
}

}  // namespace

std::string to_markdown(const Result& result) {
  const std::vector<Warning> warnings = warnings_of(result);
  return heading(result) + banners(warnings) + conclusions_section(result) + markdown_tables(result) +
         reasons_section(result) + markdown_thresholds(result) + warnings_section(warnings) + meanings_section(result) +
         details(result);
}

}  // namespace tlsrig::report
