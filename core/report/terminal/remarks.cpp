// Remarks on one cell.
#include <tlsrig/report/terminal/remarks.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/damping.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::report {
namespace {

std::string paragraph(std::string_view text, const TextOptions& options) {
  return wrapped(one_line(text), options.width, "  ", "    ");
}

// "0.910 x (0.900 .. 0.920), faster".
std::string whole_ratio(const Comparison& comparison) {
  std::string words = factor_words(*comparison.ratio);
  if (const std::string interval = interval_words(comparison); !interval.empty()) words += " (" + interval + ")";
  if (comparison.verdict) words += ", " + *comparison.verdict;
  return words;
}

// The cell's comparisons of arms that are ranked, by this metric and in the order of the table's rows.
std::vector<const Comparison*> ranked_comparisons(const Cell& cell, const std::string& metric) {
  std::vector<const Comparison*> list;
  for (const Arm* arm : rank(cell).ranked) {
    const Comparison* comparison = find_comparison(cell, arm->id, metric);
    if (!arm->twin && comparison != nullptr && comparison->ratio) list.push_back(comparison);
  }
  return list;
}

std::string reasons_text(const Result& result, const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Comparison* comparison : ranked_comparisons(cell, main_metric_name(cell))) {
    if (!comparison->verdict) continue;
    if (const std::string words = why(result, cell, *comparison); !words.empty())
      text += paragraph(fmt::format("why {}: {}", comparison->arm, words), options);
    if (const std::string words = also_differs(cell, *comparison); !words.empty())
      text += paragraph(fmt::format("also differs, {}: {}", comparison->arm, words), options);
  }
  return text;
}

// The sides whose CPU time is compared, along the path.
std::vector<std::string> sides_compared(const Cell& cell) {
  std::vector<std::string> sides;
  for (const Comparison* comparison : valid_comparisons(cell))
    if (const std::string_view side = side_of(comparison->metric); !side.empty()) sides.emplace_back(side);
  return along_path(std::move(sides));
}

// CPU time is not stretched by what else ran, so its ratios are often tight where those of the throughput are not.
// Not told where it says what the throughput has said: a loop on one side that never waits.
std::string cpu_text(const Cell& cell, const TextOptions& options) {
  const std::string main = main_metric_name(cell);
  std::vector<std::string> sides = sides_compared(cell);
  std::erase(sides, side_of(main));
  const auto apart = std::count_if(sides.begin(), sides.end(), [](const auto& side) { return side != "engine"; });
  std::string text;
  for (const std::string& side : sides) {
    const std::string metric = "cpu_" + side;
    bool news = apart > 1 && side != "engine";
    std::vector<std::string> words;
    for (const Comparison* comparison : ranked_comparisons(cell, metric)) {
      const Comparison* by_main = find_comparison(cell, comparison->arm, main);
      news = news || by_main == nullptr || by_main->verdict != comparison->verdict;
      words.push_back(comparison->arm + " " + whole_ratio(*comparison));
    }
    if (news && !words.empty()) text += paragraph(metric_words(metric) + ": " + joined(words, "; "), options);
  }
  return text;
}

std::string damping_text(const Result& result, const Cell& cell, const TextOptions& options) {
  const auto damping = damping_of(result, cell);
  return damping ? paragraph(damping_sentence(cell, *damping), options) : "";
}

std::string open_ends_text(const Cell& cell, const TextOptions& options) {
  std::string text;
  const std::string main = main_metric_name(cell);
  bool short_of_blocks = false;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric != main) continue;
    short_of_blocks = short_of_blocks || !comparison->low;
    if (const std::string settling = settling_words(*comparison); !settling.empty())
      text += paragraph(comparison->arm + ": " + settling + ".", options);
  }
  if (short_of_blocks)
    text += paragraph(
        fmt::format("Too few blocks for intervals and verdicts: {} are needed.", stats::fewest_for_interval), options);
  const Arm* baseline = find_arm(cell, cell.baseline);
  const bool others_ok =
      std::any_of(cell.arms.begin(), cell.arms.end(), [](const Arm& arm) { return arm.status == Status::ok; });
  if (baseline != nullptr && baseline->status != Status::ok && others_ok)
    text += paragraph("No ratios: the baseline " + baseline->id + " gave no number.", options);
  return text;
}

// A twin that differs from its baseline shows what this machine cannot tell apart.
std::string unequal_twins_text(const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    const std::string interval = interval_words(*comparison);
    if (!find_arm(cell, comparison->arm)->twin || comparison->metric != main_metric_name(cell) || interval.empty())
      continue;
    if (*comparison->low <= 1 && *comparison->high >= 1) continue;
    text += paragraph(
        fmt::format("A/A: {} should equal {} and does not ({}); differences of this size are not told apart here.",
                    comparison->arm, comparison->baseline, interval),
        options);
  }
  return text;
}

// Blocks are never dropped; what was unusual about them is said.
std::string flags_text(const Cell& cell, const TextOptions& options) {
  std::vector<const Arm*> arms;
  for (const Arm& arm : cell.arms)
    if (arm.status == Status::ok) arms.push_back(&arm);
  const std::string all = flags_sentence(flag_counts(arms), "arm-block", "arm-blocks");
  if (all.empty()) return "";
  std::string text = paragraph(all + ".", options);
  if (!options.verbose) return text;
  for (const Arm* arm : arms)
    if (const std::string words = flags_sentence(flag_counts({arm}), "block", "blocks"); !words.empty())
      text += paragraph(fmt::format("{}: {}.", arm->id, words), options);
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
std::string details_text(const Cell& cell, const TextOptions& options) {
  std::string text;
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok) continue;
    std::vector<std::string> words = {format_size(arm.proof.bytes_verified) + " verified"};
    if (arm.proof.signature) words.push_back("signature " + *arm.proof.signature);
    for (std::string& line : sources(arm.proof)) words.push_back(std::move(line));
    text += paragraph(arm.id + ": " + joined(words, "; "), options);
  }
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric == main_metric_name(cell) || !comparison->ratio) continue;
    std::string words = fmt::format("{}, {} vs {}: {}", metric_words(comparison->metric), comparison->arm,
                                    comparison->baseline, whole_ratio(*comparison));
    if (comparison->limit) words += " (limit " + limit_words(*comparison->limit) + ")";
    text += paragraph(words, options);
  }
  return text;
}

}  // namespace

std::string remarks_text(const Result& result, const Cell& cell, const TextOptions& options) {
  std::string text = reasons_text(result, cell, options) + cpu_text(cell, options) +
                     damping_text(result, cell, options) + open_ends_text(cell, options) +
                     unequal_twins_text(cell, options) + flags_text(cell, options);
  if (options.verbose) text += details_text(cell, options);
  return text;
}

}  // namespace tlsrig::report
