// One run against an earlier one: what judge/compare_results.hpp finds out and terminal and Markdown show. Absolute
// values of two runs do not compare, as machines drift by more than libraries differ; what is compared are ratios to a
// reference arm that ran beside the others in each block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// better, worse: the whole interval lies beyond the threshold. unchanged: the whole interval lies within it. likely:
// only 1 is excluded.
enum class Change { better, worse, likely_better, likely_worse, unchanged, inconclusive };

std::string_view words_for(Change change);

struct MetricChange {
  std::string name, unit;
  std::string better;                          // "higher" or "lower"
  std::optional<double> old_value, new_value;  // as each run tells them: to be read, not to be compared
  std::optional<double> old_ratio, new_ratio;  // to the reference of the same run
  std::optional<double> ratio, low, high;      // new_ratio / old_ratio and its 95 % interval
  std::optional<Change> change;                // empty: not judged
  std::string reason;                          // why not
  bool rules_out_worse = false;                // the unfavourable end lies within the threshold
};

struct ArmChange {
  std::string id;
  bool reference = false;
  bool yardstick = false;  // plain beside TLS: a ratio, and no judgement
  Status old_status = Status::incomplete, new_status = Status::incomplete;
  std::string old_words, new_words;  // of those that are not ok: "failed: the wire shows ..."
  std::string reason;                // why it has no ratio at all; empty: it has, or it is the reference
  std::vector<MetricChange> metrics;

  // It had numbers and has none any more.
  bool lost() const { return old_status == Status::ok && new_status != Status::ok; }
};

struct CellChange {
  std::string id;
  std::string reference;                         // empty: there is none
  std::string note;                              // on the reference: why it is another than asked by default, why none
  std::uint64_t old_blocks = 0, new_blocks = 0;  // of the reference
  std::vector<ArmChange> arms;                   // those in both runs, without twins
};

struct RunComparison {
  std::string old_name, new_name;    // the files
  std::string old_about, new_about;  // when, by which version, under which load
  double threshold = 0.05;
  std::vector<std::string> warnings;  // sentences: what else differs, what cannot be resolved
  std::vector<std::string> left_out;  // cells and arms that only one of both has
  std::vector<CellChange> cells;
};

struct ComparisonCounts {
  std::size_t judged = 0, worse = 0, better = 0, likely = 0, unchanged = 0, inconclusive = 0;
  std::size_t not_ruled_out = 0;  // not worse, but the interval reaches beyond the threshold on that side
  std::size_t not_judged = 0;     // metrics and arms without a ratio
  std::size_t lost = 0;           // arms
};

ComparisonCounts count_changes(const RunComparison& comparison);

// What is said of a metric in one or two words: "reference", "no TLS", "not judged", or the change; empty when there is
// nothing to say.
std::string change_words(const ArmChange& arm, const MetricChange& metric);

// What was found, in the order to be read: what was lost, what is worse ("WORSE: 2 of 36 ratios lie wholly beyond 5.0 %
// on the worse side."), and what is not ruled out.
std::vector<std::string> findings_of(const RunComparison& comparison);

// How to get a sharper answer than any comparison of two runs.
extern const char* const compare_in_one_run;

// Why metrics of a cell have no judgement, a line per reason: "wolfssl throughput, wolfssl cpu client: ...".
std::vector<std::string> reasons_of(const CellChange& cell);

}  // namespace tlsrig::report
