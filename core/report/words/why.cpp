// Reasons for verdicts, from what was counted on each side.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

constexpr double notable = 1.5;  // times more or less
constexpr double tiny = 0.01;    // per operation, on both sides: nothing that a difference could rest on

// Of one-way workloads messages may be so small that many share a record: what is next to nothing per message is much
// per record.
constexpr double record_size = 16384;

struct Counter {
  const char* words;
  std::optional<std::uint64_t> RoleCounts::*count;
  std::uint64_t RoleCounts::*operations;
  // What a side receives another one has sent: its own word counts where that other one cannot be counted.
  std::optional<std::uint64_t> RoleCounts::*sent_by_others;
  bool is_cause;  // each of it costs time on a socket; records do where many small messages may share one
};

constexpr std::array<Counter, 6> counters = {
    {{"writes", &RoleCounts::writes, &RoleCounts::operations, nullptr, true},
     {"reads", &RoleCounts::reads, &RoleCounts::operations, nullptr, true},
     {"records sent", &RoleCounts::records_out, &RoleCounts::warmup_operations, nullptr, false},
     {"records received", &RoleCounts::records_in, &RoleCounts::warmup_operations, &RoleCounts::records_out, false},
     {"bytes sent", &RoleCounts::bytes_out, &RoleCounts::operations, nullptr, true},
     {"bytes received", &RoleCounts::bytes_in, &RoleCounts::operations, &RoleCounts::bytes_out, true}}};

struct Part {
  std::string words;  // "9.0 x more writes per message"
  double weight = 0;  // how far from equal
  std::vector<std::string> roles;
  bool is_cause = false;
};

bool is_one_way(const Cell& cell) { return cell.workload == "stream" || cell.workload == "pipe"; }

bool counted_elsewhere(const Counter& counter, const std::string& part, const Arm& arm, const Arm& baseline) {
  if (counter.sent_by_others == nullptr) return false;
  const std::string peer(peer_of(part, arm.proof.roles.contains("relay_inbound")));
  const auto is_counted = [&](const Arm& one) {
    const auto found = one.proof.roles.find(peer);
    return found != one.proof.roles.end() && (found->second.*counter.sent_by_others).has_value();
  };
  return is_counted(arm) && is_counted(baseline);
}

// What is too little per operation to matter.
double negligible(const Cell& cell, const Arm& arm) {
  const Metric *rate = find_metric(arm, "throughput"), *bytes = find_metric(arm, "payload_bytes_per_second");
  if (!is_one_way(cell) || rate == nullptr || bytes == nullptr || !rate->value || !bytes->value || *rate->value <= 0)
    return tiny;
  return tiny * std::min(1.0, *bytes->value / *rate->value / record_size);
}

std::optional<double> per_operation(const RoleCounts& counts, const Counter& counter) {
  const auto& count = counts.*counter.count;
  const std::uint64_t operations = counts.*counter.operations;
  if (!count || operations == 0) return std::nullopt;
  return static_cast<double>(*count) / static_cast<double>(operations);
}

struct Words {
  std::string operation, baseline;
  double negligible = tiny;
};

std::optional<Part> reason_for(const Counter& counter, double mine, double theirs, const Words& words) {
  const auto& [operation, baseline, least] = words;
  if (mine < least && theirs < least) return std::nullopt;
  if (theirs == 0 || mine == 0) {
    constexpr double all = 1e9;
    const std::string number = Scale{1, "", 3}.format(std::max(mine, theirs));
    return Part{mine == 0 ? fmt::format("no {} where {} has {} per {}", counter.words, baseline, number, operation)
                          : fmt::format("{} {} per {} where {} has none", number, counter.words, operation, baseline),
                all,
                {},
                counter.is_cause};
  }
  const double ratio = mine / theirs, factor = std::max(ratio, 1 / ratio);
  if (factor <= notable) return std::nullopt;
  return Part{fmt::format("{:.{}f} x {} {} per {}", factor, factor < 99.95 ? 1 : 0, ratio > 1 ? "more" : "fewer",
                          counter.words, operation),
              std::log(factor),
              {},
              counter.is_cause};
}

struct Differences {
  std::string words;
  bool likely = false;  // they may be the cause
};

Differences differences_of(const Cell& cell, const Comparison& comparison) {
  const Arm* arm = find_arm(cell, comparison.arm);
  const Arm* baseline = find_arm(cell, comparison.baseline);
  if (arm == nullptr || baseline == nullptr || arm->status != Status::ok || baseline->status != Status::ok) return {};
  std::string operation = operation_word(cell, *arm);
  if (operation != operation_word(cell, *baseline)) operation = "operation";

  const Words words_used{operation, baseline->id, negligible(cell, *arm)};
  std::vector<Part> parts;
  for (const Counter& counter : counters) {
    for (const auto* side : in_path_order(arm->proof.roles)) {
      const auto& [role, counts] = *side;
      const auto other = baseline->proof.roles.find(role);
      if (other == baseline->proof.roles.end() || counted_elsewhere(counter, role, *arm, *baseline)) continue;
      const auto mine = per_operation(counts, counter), theirs = per_operation(other->second, counter);
      if (!mine || !theirs) continue;
      auto reason = reason_for(counter, *mine, *theirs, words_used);
      if (!reason) continue;
      const auto same =
          std::find_if(parts.begin(), parts.end(), [&](const Part& each) { return each.words == reason->words; });
      Part& told = same == parts.end() ? parts.emplace_back(std::move(*reason)) : *same;
      told.roles.push_back(side_words(role));
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& left, const Part& right) { return left.weight > right.weight; });
  Differences differences;
  std::vector<std::string> words;
  for (const Part& part : parts) {
    words.push_back(part.words + " (" + joined(part.roles, ", ") + ")");
    differences.likely = differences.likely || (cell.workload != "engine" && (part.is_cause || is_one_way(cell)));
  }
  differences.words = joined(words, ", ");
  return differences;
}

// What a backend's record says of a build without hardware AES; empty when it says nothing.
std::string aes_warning(const Result& result, const Arm& arm) {
  const BackendRecord* backend = find_backend(result, arm);
  if (backend == nullptr) return "";
  const auto found = std::find_if(backend->warnings.begin(), backend->warnings.end(), [](const std::string& warning) {
    return warning.find("hardware AES") != std::string::npos;
  });
  return found == backend->warnings.end() ? "" : *found;
}

void add_reason(std::vector<Reason>& list, const Cell& cell, const Comparison& comparison, const std::string& words,
                bool likely) {
  if (words.empty()) return;
  auto same = std::find_if(list.begin(), list.end(), [&](const Reason& each) {
    return each.scenario == cell.scenario && each.arm == comparison.arm && each.baseline == comparison.baseline &&
           each.words == words && each.likely == likely;
  });
  if (same == list.end())
    same = list.insert(list.end(), Reason{cell.scenario, comparison.arm, comparison.baseline, words, likely, {}});
  same->cells.push_back(&cell);
}

}  // namespace

std::string why(const Cell& cell, const Comparison& comparison) {
  const Differences differences = differences_of(cell, comparison);
  return differences.likely ? differences.words : "";
}

std::string also_differs(const Cell& cell, const Comparison& comparison) {
  const Differences differences = differences_of(cell, comparison);
  return differences.likely ? "" : differences.words;
}

std::string why(const Result& result, const Cell& cell, const Comparison& comparison) {
  if (std::string words = why(cell, comparison); !words.empty()) return words;
  const Arm* arm = find_arm(cell, comparison.arm);
  const Arm* baseline = find_arm(cell, comparison.baseline);
  const bool slower_with_aes = arm != nullptr && baseline != nullptr && comparison.verdict == "slower" &&
                               arm->proof.cipher.value_or("").find("AES") != std::string::npos;
  return slower_with_aes && aes_warning(result, *baseline).empty() ? aes_warning(result, *arm) : "";
}

std::vector<Reason> reasons(const Result& result) {
  std::vector<Reason> list;
  for (const Cell& cell : result.cells) {
    const std::string main = main_metric_name(cell);
    for (const Comparison* comparison : valid_comparisons(cell)) {
      if (comparison->metric != main || !comparison->verdict) continue;
      add_reason(list, cell, *comparison, why(result, cell, *comparison), true);
      add_reason(list, cell, *comparison, also_differs(cell, *comparison), false);
    }
  }
  return list;
}

}  // namespace tlsrig::report
