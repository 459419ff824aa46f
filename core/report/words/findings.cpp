// What the twins show, and each arm's verdict as a sentence.
#include <tlsrig/report/words/findings.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/estimate.hpp>
#include <tlsrig/stats/verdict.hpp>

namespace tlsrig::report {
namespace {

// "2%" or 0.02 as 0.02. A result that does not tell it was measured with the scenarios' default.
double equivalence_asked(const Arm& arm) {
  constexpr double usual = 0.02;
  const Json* value = find_path(arm.settings, "measure.equivalence");
  if (value != nullptr && value->is_number()) return value->get<double>();
  if (value == nullptr || !value->is_string()) return usual;
  const std::string text = value->get<std::string>();
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || std::string_view(end, text.data() + text.size()) != "%") return usual;
  return percent / 100;
}

bool has_interval(const Comparison& comparison) {
  return comparison.ratio && comparison.low && comparison.high && *comparison.low > 0;
}

// A difference with its interval, all three in one unit.
struct Difference {
  std::string estimate, interval;
};

// "10.6 %" and "6.0 % to 14.2 %": how much more, or less, than the baseline; both ends on one side of 1.
Difference size_of(const Comparison& comparison) {
  const double ratio = *comparison.ratio, low = *comparison.low, high = *comparison.high;
  if (high >= 2 || low <= 0.5) return {factor_words(ratio), factor_words(low) + " to " + factor_words(high)};
  if (ratio >= 1) return {format_percent(ratio - 1), format_percent(low - 1) + " to " + format_percent(high - 1)};
  return {format_percent(1 - ratio), format_percent(1 - high) + " to " + format_percent(1 - low)};
}

// "+1.7 %" and "-2.0 % to +5.5 %": for an interval that holds 1.
Difference signed_size_of(const Comparison& comparison) {
  const double ratio = *comparison.ratio, low = *comparison.low, high = *comparison.high;
  if (high >= 2 || low <= 0.5) return {factor_words(ratio), factor_words(low) + " to " + factor_words(high)};
  return {difference_words(ratio), difference_words(low) + " to " + difference_words(high)};
}

// " in CPU per operation, client"; empty for throughput, which "faster" alone stands for.
std::string in_metric(const Comparison& comparison) {
  return comparison.metric == "throughput" ? "" : " in " + metric_words(comparison.metric);
}

std::string limit_note(const Comparison& comparison) {
  return comparison.limit ? "; limit " + limit_words(*comparison.limit) : "";
}

// For an interval wholly on one side of 1.
std::string one_sided_sentence(const Comparison& comparison) {
  const Difference size = size_of(comparison);
  const bool factor = size.estimate.ends_with(" x");
  std::string text = fmt::format("{} is {} than {}{}{} (95 % interval {}{})", comparison.arm, *comparison.verdict,
                                 comparison.baseline, in_metric(comparison), (factor ? ": " : " by ") + size.estimate,
                                 size.interval, limit_note(comparison));
  if (!comparison.verdict->starts_with("likely")) return text + ".";
  return text + ", which is a hint and no proof: the interval reaches " +
         (comparison.limit ? "below the limit of what can be told apart here." : "close to no difference.");
}

std::string two_sided_sentence(const Comparison& comparison) {
  const Difference size = signed_size_of(comparison);
  const std::string numbers =
      fmt::format("{} (95 % interval {}{})", size.estimate, size.interval, limit_note(comparison));
  if (*comparison.verdict == "equivalent")
    return fmt::format("{} is equivalent to {}{}: {}.", comparison.arm, comparison.baseline, in_metric(comparison),
                       numbers);
  const std::string settling = settling_words(comparison);
  return fmt::format("{} against {}{} is {}: {}{}.", comparison.arm, comparison.baseline, in_metric(comparison),
                     *comparison.verdict, numbers, settling.empty() ? "" : "; " + settling);
}

std::string interval_note(const Comparison& comparison) {
  if (!has_interval(comparison))
    return fmt::format(" ({}; an interval and a verdict need {})", counted(comparison.n, "block", "blocks"),
                       stats::fewest_for_interval);
  return fmt::format(" (95 % interval {} to {})", factor_words(*comparison.low), factor_words(*comparison.high));
}

std::string twin_sentence(const Cell& cell, const Arm& arm, const Comparison& comparison) {
  std::string text = fmt::format("{} is {} once more (A/A): {}{}", arm.id, comparison.baseline,
                                 factor_words(*comparison.ratio), interval_note(comparison));
  if (const auto found = resolution(cell); found && has_interval(comparison)) {
    text += fmt::format("; differences below {} are not told apart here",
                        limit_words(std::max(found->limit, found->equivalence)));
  }
  return text + ".";
}

}  // namespace

std::optional<Resolution> resolution(const Cell& cell) {
  const std::string main = main_metric_name(cell);
  for (const Comparison* comparison : valid_comparisons(cell)) {
    const Arm* arm = find_arm(cell, comparison->arm);
    if (!arm->twin || comparison->metric != main || !has_interval(*comparison)) continue;
    Resolution found;
    found.cell = &cell;
    found.metric = main;
    found.ratio = *comparison->ratio;
    found.low = *comparison->low;
    found.high = *comparison->high;
    found.limit = stats::resolution_limit(0, stats::Interval{found.low, found.high});
    found.equivalence = equivalence_asked(*arm);
    return found;
  }
  return std::nullopt;
}

namespace {

std::vector<Resolution> resolutions(const Result& result) {
  std::vector<Resolution> all;
  for (const Cell& cell : result.cells) {
    if (const auto found = resolution(cell)) all.push_back(*found);
  }
  return all;
}

// The smallest and the largest of some limits, in words.
struct Span {
  std::string low, high;
  bool one() const { return low == high; }
};

Span span_of(const std::vector<Resolution>& resolutions, double Resolution::*member) {
  const auto [least, most] = std::minmax_element(
      resolutions.begin(), resolutions.end(),
      [&](const Resolution& left, const Resolution& right) { return left.*member < right.*member; });
  return {limit_words((*least).*member), limit_words((*most).*member)};
}

}  // namespace

std::optional<Resolution> worst_resolution(const Result& result) {
  std::optional<Resolution> worst;
  for (const Resolution& found : resolutions(result)) {
    if (!worst || found.limit > worst->limit) worst = found;
  }
  return worst;
}

std::optional<double> limit_of(const Cell& cell, std::string_view metric) {
  std::optional<double> limit;
  for (const Comparison* comparison : valid_comparisons(cell)) {
    if (comparison->metric != metric || !comparison->limit) continue;
    limit = std::max(limit.value_or(0), *comparison->limit);
  }
  return limit;
}

std::optional<double> limit_of(const Cell& cell) {
  const std::optional<double> limit = limit_of(cell, main_metric_name(cell));
  if (const auto found = resolution(cell); found && !limit) return std::max(found->limit, found->equivalence);
  return limit;
}

std::optional<double> equivalence_of(const Cell& cell) {
  // Without a twin the limit is the equivalence.
  if (const auto found = resolution(cell)) return found->equivalence;
  return limit_of(cell);
}

std::string resolution_banner(const Result& result) {
  const std::vector<Resolution> checked = resolutions(result);
  std::vector<Resolution> open;
  std::copy_if(checked.begin(), checked.end(), std::back_inserter(open),
               [](const Resolution& each) { return !each.resolved(); });
  if (open.empty()) return "";
  const Span limits = span_of(open, &Resolution::limit), asked = span_of(open, &Resolution::equivalence);
  const std::string where = checked.size() == 1 ? ""
                            : open.size() == checked.size()
                                ? fmt::format(" in all {} cells", checked.size())
                                : fmt::format(" in {} of {} cells", open.size(), checked.size());
  return fmt::format(
      "A/A not resolved{}: by what the baseline's twin shows, the smallest difference told apart there {}; {} was "
      "asked "
      "for. More or longer blocks (-r, measure.block) or a quieter machine tell more.",
      where, limits.one() ? "is " + limits.low : "lies between " + limits.low + " and " + limits.high + " by cell",
      asked.one() ? asked.low : "between " + asked.low + " and " + asked.high);
}

std::string resolution_sentence(const Result& result) {
  if (std::string banner = resolution_banner(result); !banner.empty()) return banner;
  const auto worst = worst_resolution(result);
  if (!worst) return "";
  const std::vector<Resolution> checked = resolutions(result);
  const Span asked = span_of(checked, &Resolution::equivalence);
  return fmt::format("A/A: the baseline's twin stayed within {} of it{}, so the {} asked for is resolved.",
                     limit_words(worst->limit),
                     checked.size() == 1 ? "" : " in all " + counted(checked.size(), "cell", "cells"),
                     asked.one() ? asked.low : asked.low + " to " + asked.high);
}

std::string settling_words(const Comparison& comparison) {
  if (!comparison.blocks_needed) return "";
  constexpr std::uint64_t blocks_most = 1000;  // of a run
  if (*comparison.blocks_needed > blocks_most)
    return "no number of blocks settles it on this machine as it is, but a quieter one or a longer measure.block may";
  return fmt::format("about {} blocks would settle it (-r)", *comparison.blocks_needed);
}

std::string verdict_sentence(const Cell& cell, const Arm& arm) {
  if (arm.status != Status::ok) return fmt::format("{} has no number, {}.", arm.id, status_words(arm));
  const Arm* baseline = find_arm(cell, cell.baseline);
  if (baseline == nullptr) return fmt::format("{} has no baseline to be compared with.", arm.id);
  if (baseline->status != Status::ok)
    return fmt::format("{} has no ratio, as its baseline {} has no number, {}.", arm.id, baseline->id,
                       status_words(*baseline));
  if (&arm == baseline) return fmt::format("{} is the baseline.", arm.id);
  const Comparison* comparison = find_comparison(cell, arm.id, main_metric_name(cell));
  if (comparison == nullptr || !comparison->ratio)
    return fmt::format("{} could not be compared with {}.", arm.id, baseline->id);
  if (arm.twin) return twin_sentence(cell, arm, *comparison);
  if (!comparison->verdict || !has_interval(*comparison)) {
    const std::string plain = is_yardstick(cell, arm) ? ", without TLS and so not ranked," : "";
    return fmt::format("{}{} has {} the {} of {}{}.", arm.id, plain, factor_words(*comparison->ratio),
                       metric_words(comparison->metric), comparison->baseline, interval_note(*comparison));
  }
  const bool one_sided = *comparison->low > 1 || *comparison->high < 1;
  return one_sided && *comparison->verdict != "equivalent" ? one_sided_sentence(*comparison)
                                                           : two_sided_sentence(*comparison);
}

}  // namespace tlsrig::report
