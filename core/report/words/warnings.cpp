// Everything that a reader has to be warned of before using a number.
#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/damping.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

using Warnings = std::vector<Warning>;

void of_the_run(const Result& result, Warnings& warnings) {
  if (!result.complete)
    warnings.push_back(
        {"run", "It ended before everything was measured: what is missing is not in any comparison.", true});
  if (result.quick)
    warnings.push_back({"run", "Quick: few and short blocks, for a first look. Decide nothing by its numbers.", true});
  if (result.in_process)
    warnings.push_back(
        {"run", "All roles were threads of one process (--in-process): compare its numbers with no other run's.",
         true});
}

void of_the_twins(const Result& result, Warnings& warnings) {
  if (const std::string banner = resolution_banner(result); !banner.empty()) {
    warnings.push_back({"A/A", banner.substr(banner.starts_with("A/A ") ? 4 : 0), true});
    return;
  }
  const auto judged = [](const Cell& cell) {
    return std::any_of(cell.comparisons.begin(), cell.comparisons.end(),
                       [](const Comparison& comparison) { return comparison.verdict.has_value(); });
  };
  std::size_t unchecked = 0, all = 0;
  for (const Cell& cell : result.cells) {
    if (!judged(cell)) continue;
    ++all;
    unchecked += resolution(cell) ? 0 : 1;
  }
  if (unchecked > 0)
    warnings.push_back({"A/A", fmt::format("no twin of the baseline in {} of {}: nothing there says which differences "
                                           "this machine cannot tell apart.",
                                           unchecked, counted(all, "cell", "cells"))});
}

void of_the_backends(const Result& result, Warnings& warnings) {
  for (const BackendRecord& backend : result.backends)
    for (const std::string& warning : backend.warnings)
      warnings.push_back({name_of(backend) + (backend.run.empty() ? "" : " of " + backend.run), warning});
}

// The first number of a text such as "0.52 0.58 0.59 2/345 12345", or a number; nullopt for anything else.
std::optional<double> first_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  const std::string text = json.get<std::string>();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<double> number_at(const Json& json, std::string_view path) {
  const Json* found = find_path(json, path);
  return found == nullptr ? std::nullopt : first_number(*found);
}

bool holds(const Json& json, std::string_view path, const Json& value) {
  const Json* found = find_path(json, path);
  return found != nullptr && *found == value;
}

void of_the_machine(const Json& machine, const std::string& subject, Warnings& warnings) {
  const Json* flags = find_path(machine, "processor_flags");
  if (flags != nullptr && flags->is_array() && holds(machine, "architecture", "x86_64") &&
      std::find(flags->begin(), flags->end(), "aes") == flags->end())
    warnings.push_back({subject, "This processor has no AES instructions."});
  constexpr double busy = 0.5;  // of the processors
  const auto load = number_at(machine, "load"), processors = number_at(machine, "processors");
  if (load && processors && *load > busy * *processors)
    warnings.push_back(
        {subject, fmt::format("It was busy when the run began: load {:.2f} on {}.", *load,
                              counted(static_cast<std::uint64_t>(*processors), "processor", "processors"))});
  if (holds(machine, "copy_alias.affected", true)) {
    const double worst = std::max(number_at(machine, "copy_alias.memcpy_slowdown").value_or(0),
                                  number_at(machine, "copy_alias.socket_slowdown").value_or(0));
    warnings.push_back(
        {subject,
         fmt::format("Copies between some places in memory are up to {:.0f} x slower here (copy alias). Buffers "
                     "are placed anew for each block, so this widens intervals and favours nobody.",
                     worst)});
  }
}

// What a flag stands for.
std::string flag_meaning(const std::string& flag) {
  if (flag == "steal") return "the hypervisor took over 1 % of the processors' time";
  if (flag == "late") return "processes woke up late, in sum over 1 % of the time measured";
  if (flag == "switches") return "a process lost its processor more than 10 times as often as usual";
  if (flag == "outlier") return "the throughput was far from that of the arm's other blocks";
  return "something unusual was seen";
}

void of_the_blocks(const Result& result, Warnings& warnings) {
  std::vector<const Arm*> arms;
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms)
      if (arm.status == Status::ok) arms.push_back(&arm);
  }
  const FlagCounts counts = flag_counts(arms);
  if (counts.flagged == 0) return;
  std::vector<std::string> words;
  for (const auto& [flag, count] : counts.flags)
    words.push_back(fmt::format("{} ({})", flag_words(flag, count), flag_meaning(flag)));
  warnings.push_back({"blocks", fmt::format("Of {} (a block gives each arm one): {}. They count all the same.",
                                            counted(counts.blocks, "arm-block", "arm-blocks"), joined(words, ", "))});
}

// One warning for arms that ended alike, wherever they did.
void of_the_arms(const Result& result, Warnings& warnings) {
  struct Ending {
    std::string arm, words;
    std::vector<std::string> cells;
  };
  std::vector<Ending> endings;
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      if (arm.status == Status::ok) continue;
      const std::string words = status_words(arm);
      auto known = std::find_if(endings.begin(), endings.end(),
                                [&](const Ending& each) { return each.arm == arm.id && each.words == words; });
      if (known == endings.end()) known = endings.insert(known, {arm.id, words, {}});
      known->cells.push_back(cell.id);
    }
  }
  for (const Ending& ending : endings) {
    const std::string where =
        ending.cells.size() == 1 ? ending.cells.front() : counted(ending.cells.size(), "cell", "cells");
    warnings.push_back({ending.arm, fmt::format("no number in {}, {}", where, ending.words)});
  }
}

}  // namespace

FlagCounts flag_counts(const std::vector<const Arm*>& arms) {
  FlagCounts counts;
  for (const Arm* arm : arms) {
    counts.blocks += arm->blocks.size();
    for (const Block& block : arm->blocks) {
      counts.flagged += block.flags.empty() ? 0 : 1;
      for (const std::string& flag : block.flags) ++counts.flags[flag];
    }
  }
  return counts;
}

std::string flag_words(const std::string& flag, std::size_t count) {
  if (flag == "late") return fmt::format("{} late", count);
  if (flag == "outlier") return counted(count, "outlier", "outliers");
  return fmt::format("{} with {}", count, with_spaces(flag));
}

std::string flags_sentence(const FlagCounts& counts, std::string_view block, std::string_view blocks) {
  if (counts.flagged == 0) return "";
  std::vector<std::string> words;
  for (const auto& [flag, count] : counts.flags) words.push_back(flag_words(flag, count));
  return fmt::format("{} of {} flagged: {}", counts.flagged, counted(counts.blocks, block, blocks),
                     joined(words, ", "));
}

std::vector<Warning> warnings_of(const Result& result) {
  Warnings warnings;
  if (!result.runs.empty()) warnings.push_back({"runs", runs_sentence(result), true});
  of_the_run(result, warnings);
  of_the_twins(result, warnings);
  of_the_arms(result, warnings);
  for (Warning& warning : damping_warnings(result)) warnings.push_back(std::move(warning));
  of_the_backends(result, warnings);
  if (result.runs.empty()) of_the_machine(result.machine, "machine", warnings);
  for (const RunRecord& run : result.runs) of_the_machine(run.machine, "machine of " + run.label, warnings);
  of_the_blocks(result, warnings);
  return warnings;
}

}  // namespace tlsrig::report
