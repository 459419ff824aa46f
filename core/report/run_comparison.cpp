// What two runs come to, in numbers and sentences.
#include <tlsrig/report/run_comparison.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

void count(const MetricChange& metric, ComparisonCounts& counts) {
  if (!metric.change) {
    ++counts.not_judged;
    return;
  }
  ++counts.judged;
  switch (*metric.change) {
    case Change::better:
      ++counts.better;
      break;
    case Change::worse:
      ++counts.worse;
      return;
    case Change::likely_better:
    case Change::likely_worse:
      ++counts.likely;
      break;
    case Change::unchanged:
      ++counts.unchanged;
      break;
    case Change::inconclusive:
      ++counts.inconclusive;
      break;
  }
  if (!metric.rules_out_worse) ++counts.not_ruled_out;
}

}  // namespace

const char* const compare_in_one_run =
    "To compare two builds of a library, put both into one run with --variant NAME=PLUGIN:DIR: they then alternate "
    "within every block, which is several times sharper than two runs.";

std::string_view words_for(Change change) {
  switch (change) {
    case Change::better:
      return "better";
    case Change::worse:
      return "worse";
    case Change::likely_better:
      return "likely better";
    case Change::likely_worse:
      return "likely worse";
    case Change::unchanged:
      return "unchanged";
    case Change::inconclusive:
      break;
  }
  return "inconclusive";
}

std::string change_words(const ArmChange& arm, const MetricChange& metric) {
  if (arm.reference) return "reference";
  if (arm.yardstick) return "no TLS";
  if (metric.change) return std::string(words_for(*metric.change));
  return metric.reason.empty() ? "" : "not judged";
}

ComparisonCounts count_changes(const RunComparison& comparison) {
  ComparisonCounts counts;
  for (const CellChange& cell : comparison.cells) {
    for (const ArmChange& arm : cell.arms) {
      if (arm.lost()) ++counts.lost;
      if (arm.reference || arm.yardstick) continue;
      if (!arm.reason.empty())
        ++counts.not_judged;
      else
        for (const MetricChange& metric : arm.metrics) count(metric, counts);
    }
  }
  return counts;
}

std::vector<std::string> reasons_of(const CellChange& cell) {
  std::vector<std::pair<std::string, std::string>> reasons;  // and whose they are
  for (const ArmChange& arm : cell.arms) {
    for (const MetricChange& metric : arm.metrics) {
      if (metric.reason.empty()) continue;
      const std::string name = arm.id + " " + metric_words(metric.name);
      const auto known = std::find_if(reasons.begin(), reasons.end(),
                                      [&](const auto& reason) { return reason.first == metric.reason; });
      if (known == reasons.end())
        reasons.emplace_back(metric.reason, name);
      else
        known->second += "; " + name;  // a metric's words may hold a comma
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : reasons) lines.push_back(names + ": " + reason);
  return lines;
}

std::vector<std::string> findings_of(const RunComparison& comparison) {
  const ComparisonCounts counts = count_changes(comparison);
  const std::string threshold = limit_words(comparison.threshold);
  std::vector<std::string> sentences;
  for (const CellChange& cell : comparison.cells)
    for (const ArmChange& arm : cell.arms)
      if (arm.lost())
        sentences.push_back(
            fmt::format("LOST: {} of {} had numbers in OLD; in NEW it is {}", arm.id, cell.id, arm.new_words));
  if (counts.judged == 0) {
    sentences.emplace_back("NOTHING JUDGED: no arm has a ratio with an interval in both runs.");
  } else if (counts.worse > 0) {
    sentences.push_back(fmt::format("WORSE: {} of {} {} wholly beyond {} on the worse side.", counts.worse,
                                    counted(counts.judged, "ratio", "ratios"), counts.worse == 1 ? "lies" : "lie",
                                    threshold));
  } else {
    sentences.push_back(fmt::format("None of {} lies wholly beyond {} on the worse side.",
                                    counted(counts.judged, "ratio", "ratios"), threshold));
  }
  if (counts.judged > 0) {
    std::string sentence = fmt::format(
        "{} better, {} worse, {} unchanged (wholly within {}), {} likely (only 1 is excluded; about 1 equal "
        "ratio in 20 shows it by chance), {} inconclusive.",
        counts.better, counts.worse, counts.unchanged, threshold, counts.likely, counts.inconclusive);
    if (counts.not_ruled_out > 0)
      sentence += fmt::format(" Of {} a change for the worse of {} is not ruled out.", counts.not_ruled_out, threshold);
    sentences.push_back(std::move(sentence));
  }
  if (counts.not_judged > 0)
    sentences.push_back(fmt::format("{} not judged; the reasons stand beside them.",
                                    counted(counts.not_judged, "arm or metric was", "arms and metrics were")));
  return sentences;
}

}  // namespace tlsrig::report
