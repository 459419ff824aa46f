// The terminal report: a title, a table and remarks per cell, then what holds for the whole run. What it comes to
// stands last: a terminal shows the end first.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/cell_table.hpp>
#include <tlsrig/report/terminal/counts_table.hpp>
#include <tlsrig/report/terminal/notes.hpp>
#include <tlsrig/report/terminal/remarks.hpp>
#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/terminal/thresholds_text.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string paragraph(std::string_view text, const TextOptions& options) {
  return wrapped(text, options.width, "  ", "    ");
}

// "8 blocks of 200ms", "8 to 12 blocks of 1s"; empty when nothing was measured.
std::string block_words(const Cell& cell) {
  std::set<std::uint64_t> counts;
  std::string length;
  for (const Arm& arm : cell.arms) {
    const Metric* metric = main_metric(arm);
    if (arm.status != Status::ok || metric == nullptr) continue;
    counts.insert(metric->n);
    const Json* block = find_path(arm.settings, "measure.block");
    if (block != nullptr && block->is_string()) length = " of " + block->get<std::string>();
  }
  if (counts.empty()) return "";
  if (counts.size() > 1) return fmt::format("{} to {} blocks{}", *counts.begin(), *counts.rbegin(), length);
  return counted(*counts.begin(), "block", "blocks") + length;
}

std::string title(const Result& result, const Cell& cell, const TextOptions& options) {
  std::vector<std::string> words = {cell.workload};
  if (const std::string own = cell_words(cell); !own.empty()) words.push_back(own);
  if (const std::string settings = settings_words(result, cell); !settings.empty()) words.push_back(settings);
  if (const std::string blocks = block_words(cell); !blocks.empty()) words.push_back(blocks);
  return painted(one_line(cell.id), Style::strong, options.colour) + "\n" +
         paragraph(one_line(joined(words, ", ")), options);
}

// What was negotiated, as far as it is the same for arms that are comparable.
std::string proof_words(const Proof& proof) {
  std::vector<std::string> words;
  if (proof.version) words.push_back(*proof.version == "none" ? "without TLS" : one_line("TLS " + *proof.version));
  if (proof.cipher) words.push_back(one_line(*proof.cipher));
  if (proof.group && *proof.group != "none") words.push_back(one_line(*proof.group));
  if (proof.hello_retry.value_or(false)) words.push_back("after HelloRetryRequest");
  if (proof.resumed_yes.value_or(0) > 0) words.push_back("resumed");
  if (proof.peer_verified) words.push_back(*proof.peer_verified ? "peer verified" : "peer not verified");
  if (proof.connections_asked > 0) {
    words.push_back(proof.connections_asked == proof.connections_achieved
                        ? counted(proof.connections_asked, "connection", "connections")
                        : fmt::format("{} of {} connections", proof.connections_achieved, proof.connections_asked));
  }
  return joined(words, ", ");
}

// One line for arms with the same proof; the yardstick has none worth a line.
std::string proofs(const Cell& cell, const TextOptions& options) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::size_t shown = 0;
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok || is_yardstick(cell, arm)) continue;
    const std::string words = proof_words(arm.proof);
    if (words.empty()) continue;
    ++shown;
    const auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == words; });
    if (known == groups.end()) {
      groups.push_back({words, {arm.id}});
    } else {
      known->second.push_back(arm.id);
    }
  }
  std::string text;
  for (const auto& [words, arms] : groups) {
    const std::string whose = arms.size() == shown ? "" : " (" + one_line(joined(arms, ", ")) + ")";
    text += paragraph("proved" + whose + ": " + words, options);
  }
  return text;
}

std::string cell_text(const Result& result, const Cell& cell, const TextOptions& options) {
  std::string text = title(result, cell, options);
  if (const std::string counted = counted_words(cell); !counted.empty())
    text += paragraph("counted: " + one_line(counted), options);
  text += proofs(cell, options);
  text += "\n" + to_text(cell_table(result, cell), options.width, options.colour);
  if (options.verbose) {
    if (const Table counts = counts_table(cell); !counts.rows.empty())
      text += "\n" + to_text(counts, options.width, options.colour);
  }
  const std::string remarks = remarks_text(result, cell, options);
  return text + (remarks.empty() ? "" : "\n" + remarks);
}

}  // namespace

std::string to_text(const Result& result, const TextOptions& options) {
  std::string text;
  if (const std::string runs = runs_sentence(result); !runs.empty())
    text += wrapped(one_line(runs), options.width, "", "") + "\n";
  bool first = true;
  for (const Cell& cell : result.cells)
    text += (std::exchange(first, false) ? "" : "\n") + cell_text(result, cell, options);
  text += backends_text(result, options);
  text += run_text(result, options);
  text += reading_text(result, options);
  text += warnings_text(result, options);
  text += thresholds_text(result, options);
  text += conclusions_text(result, options);
  text += outcome_text(result, options);
  return text;
}

std::string cell_line(const Cell& cell) {
  const Ranking ranking = rank(cell);
  const std::string main = main_metric_name(cell);
  std::vector<std::string> words;
  for (const Arm* arm : ranking.with_numbers()) {
    if (arm->twin) continue;
    const Metric* metric = find_metric(*arm, main);
    const std::string unit = main == "throughput" ? "op/s" : metric != nullptr ? metric->unit : "";
    words.push_back(one_line(arm->id) + " " + (metric && metric->value ? format_rate(*metric->value, unit) : "-"));
  }
  for (const Arm& arm : cell.arms) {
    if (arm.status == Status::ok) continue;
    constexpr std::size_t reason_columns = 60;
    std::string text = one_line(arm.id) + " " + std::string(words_for(arm.status));
    if (arm.reason) text += " (" + shortened(one_line(*arm.reason), reason_columns) + ")";
    words.push_back(text);
  }
  return one_line(cell.id) + ": " + (words.empty() ? "no arms" : joined(words, ", "));
}

}  // namespace tlsrig::report
