// The terminal report: a title, a table and remarks per cell, then what holds for the whole run.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/cell_table.hpp>
#include <tlsrig/report/counts_table.hpp>
#include <tlsrig/report/format.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/report/notes.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/table.hpp>

namespace tlsrig::report {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

std::string paragraph(std::string_view text, const TextOptions& options) {
  return wrapped(text, options.width, "  ", "    ");
}

// "traffic.message_size" as "message size".
std::string parameter_words(const std::string& key) { return with_spaces(key.substr(key.rfind('.') + 1)); }

// "3 blocks", "8 to 12 blocks"; empty when nothing was measured.
std::string block_words(const Cell& cell) {
  std::set<std::uint64_t> counts;
  for (const Arm& arm : cell.arms) {
    const Metric* metric = main_metric(arm);
    if (arm.status == Status::ok && metric != nullptr) counts.insert(metric->n);
  }
  if (counts.empty()) return "";
  if (counts.size() > 1) return fmt::format("{} to {} blocks", *counts.begin(), *counts.rbegin());
  return fmt::format("{} {}", *counts.begin(), *counts.begin() == 1 ? "block" : "blocks");
}

std::string title(const Cell& cell, const TextOptions& options) {
  std::vector<std::string> words = {cell.workload};
  for (const auto& [key, value] : cell.params) words.push_back(parameter_words(key) + " " + value);
  if (const std::string blocks = block_words(cell); !blocks.empty()) words.push_back(blocks);
  return painted(one_line(cell.id), Style::strong, options.colour) + "\n" +
         paragraph(one_line(joined(words, ", ")), options);
}

// What was negotiated, as far as it is the same for arms that are comparable.
std::string proof_words(const Proof& proof) {
  std::vector<std::string> words;
  if (proof.version) words.push_back(one_line("TLS " + *proof.version));
  if (proof.cipher) words.push_back(one_line(*proof.cipher));
  if (proof.group && *proof.group != "none") words.push_back(one_line(*proof.group));
  if (proof.hello_retry.value_or(false)) words.push_back("after HelloRetryRequest");
  if (proof.resumed_yes.value_or(0) > 0) words.push_back("resumed");
  if (proof.peer_verified) words.push_back(*proof.peer_verified ? "peer verified" : "peer not verified");
  if (proof.connections_asked > 0) {
    words.push_back(
        proof.connections_asked == proof.connections_achieved
            ? fmt::format("{} {}", proof.connections_asked, proof.connections_asked == 1 ? "connection" : "connections")
            : fmt::format("{} of {} connections", proof.connections_achieved, proof.connections_asked));
  }
  return joined(words, ", ");
}

// One line for arms with the same proof; the yardstick has none worth a line.
std::string proofs(const Cell& cell, const TextOptions& options) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::size_t shown = 0;
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok || is_yardstick(arm)) continue;
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

std::string difference_words(double ratio) {
  if (ratio >= 2 || ratio <= 0.5) return format_ratio(ratio) + " x";
  return fmt::format("{}{}", ratio >= 1 ? "+" : "", format_percent(ratio - 1));
}

// What the verdicts come to: "Against openssl: boringssl faster (+8.3 %), wolfssl slower (0.0309 x)."
std::string summary(const Cell& cell, const Ranking& ranking, const TextOptions& options) {
  std::vector<std::string> findings;
  for (const Arm* arm : ranking.ranked) {
    const Comparison* comparison = find_comparison(cell, arm->id, main_metric_name(cell));
    if (arm->twin || comparison == nullptr || !comparison->verdict || !comparison->ratio) continue;
    findings.push_back(
        fmt::format("{} {} ({})", one_line(arm->id), *comparison->verdict, difference_words(*comparison->ratio)));
  }
  if (findings.empty()) return "";
  return paragraph("Against " + one_line(cell.baseline) + ": " + joined(findings, ", ") + ".", options);
}

std::string unfinished_comparisons(const Cell& cell, const TextOptions& options) {
  std::string text;
  const std::string main = main_metric_name(cell);
  bool short_of_blocks = false;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric != main) continue;
    short_of_blocks = short_of_blocks || !comparison->low;
    if (comparison->blocks_needed) {
      constexpr unsigned blocks_most = 1000;  // of a run
      const std::string arm = one_line(comparison->arm);
      text += paragraph(*comparison->blocks_needed <= blocks_most
                            ? fmt::format("{}: about {} blocks would settle it (-r).", arm, *comparison->blocks_needed)
                            : fmt::format("{}: cannot be settled on this machine as it is: quieter, or with a longer "
                                          "measure.block.",
                                          arm),
                        options);
    }
  }
  if (short_of_blocks) text += paragraph("Too few blocks for intervals and verdicts: 6 are needed.", options);
  const Arm* baseline = find_arm(cell, cell.baseline);
  const bool others_ok =
      std::any_of(cell.arms.begin(), cell.arms.end(), [](const Arm& arm) { return arm.status == Status::ok; });
  if (baseline != nullptr && baseline->status != Status::ok && others_ok) {
    text += paragraph("No ratios: the baseline " + one_line(baseline->id) + " gave no number.", options);
  }
  return text;
}

// A twin that differs from its baseline shows what this machine cannot tell apart.
std::string unequal_twins(const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    const bool has_interval = comparison->low && comparison->high;
    if (!find_arm(cell, comparison->arm)->twin || comparison->metric != main_metric_name(cell) || !has_interval)
      continue;
    if (*comparison->low <= 1 && *comparison->high >= 1) continue;
    text += paragraph(
        fmt::format(
            "A/A: {} should equal {} and does not ({} .. {}); differences of this size are not told apart here.",
            one_line(comparison->arm), one_line(comparison->baseline), format_ratio(*comparison->low),
            format_ratio(*comparison->high)),
        options);
  }
  return text;
}

// Blocks are never dropped; what was unusual about them is said.
std::string flagged_blocks(const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Arm& arm : cell.arms) {
    std::map<std::string, std::size_t> flags;
    std::size_t flagged = 0;
    for (const Block& block : arm.blocks) {
      flagged += block.flags.empty() ? 0 : 1;
      for (const std::string& flag : block.flags) ++flags[flag];
    }
    if (flagged == 0 || arm.status != Status::ok) continue;
    std::vector<std::string> words;
    for (const auto& [flag, count] : flags) words.push_back(fmt::format("{} in {}", one_line(flag), count));
    text += paragraph(fmt::format("{}: {} of {} blocks flagged: {}.", one_line(arm.id), flagged, arm.blocks.size(),
                                  joined(words, ", ")),
                      options);
  }
  return text;
}

// A build's warnings stand beside the numbers it gave.
std::string warnings(const Result& result, const Cell& cell, const TextOptions& options) {
  std::string text;
  std::set<const BackendRecord*> told;
  for (const Arm& arm : cell.arms) {
    const BackendRecord* backend = find_backend(result, arm);
    if (arm.status != Status::ok || backend == nullptr || !told.insert(backend).second) continue;
    for (const std::string& warning : backend->warnings) {
      std::string line =
          paragraph("! " + one_line(arm.variant.value_or(arm.backend)) + ": " + one_line(warning), options);
      text += painted(std::string_view(line).substr(0, line.size() - 1), Style::caution, options.colour) + "\n";
    }
  }
  return text;
}

// Which fields of a proof stand in clear on the wire, and for which a library had to be believed.
std::vector<std::string> sources(const Proof& proof) {
  std::map<std::string, std::vector<std::string>> fields;
  for (const auto& [field, source] : proof.source) fields[source].push_back(with_spaces(field));
  std::vector<std::string> words;
  for (const auto& [source, names] : fields)
    words.push_back((source == "wire" ? "seen on the wire: " : "told by the " + source + ": ") + joined(names, ", "));
  return words;
}

// All comparisons of other metrics, and what else was proved: for readers who asked for everything.
std::string details(const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok) continue;
    std::vector<std::string> words = {format_size(arm.proof.bytes_verified) + " verified"};
    if (arm.proof.signature) words.push_back("signature " + *arm.proof.signature);
    for (std::string& line : sources(arm.proof)) words.push_back(std::move(line));
    text += paragraph(one_line(arm.id + ": " + joined(words, "; ")), options);
  }
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric == main_metric_name(cell) || !comparison->ratio) continue;
    std::string words = fmt::format("{}, {} vs {}: {}", with_spaces(comparison->metric), comparison->arm,
                                    comparison->baseline, format_ratio(*comparison->ratio));
    if (comparison->low && comparison->high) {
      words += fmt::format(" ({} .. {})", format_ratio(*comparison->low), format_ratio(*comparison->high));
    }
    if (comparison->verdict) words += ", " + *comparison->verdict;
    if (comparison->limit) words += " (limit " + format_percent(*comparison->limit) + ")";
    text += paragraph(one_line(words), options);
  }
  return text;
}

std::string cell_text(const Result& result, const Cell& cell, const TextOptions& options) {
  std::string text = title(cell, options) + proofs(cell, options);
  text += "\n" + to_text(cell_table(result, cell), options.width, options.colour);
  if (options.verbose) {
    if (const Table counts = counts_table(cell); !counts.rows.empty())
      text += "\n" + to_text(counts, options.width, options.colour);
  }
  std::string remarks = summary(cell, rank(cell), options) + unfinished_comparisons(cell, options) +
                        unequal_twins(cell, options) + flagged_blocks(cell, options) + warnings(result, cell, options);
  if (options.verbose) remarks += details(cell, options);
  return text + (remarks.empty() ? "" : "\n" + remarks);
}

}  // namespace

std::string to_text(const Result& result, const TextOptions& options) {
  std::string text;
  for (const Cell& cell : result.cells) text += (text.empty() ? "" : "\n") + cell_text(result, cell, options);
  text += backends_text(result, options);
  text += run_text(result, options);
  text += reading_text(result, options);
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
