// Everything that a reader has to be warned of before using a number.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

using Warnings = std::vector<Warning>;

void of_the_run(const Result& result, Warnings& warnings) {
  if (!result.complete)
    warnings.push_back({"run", "It ended before everything was measured: what is missing is not in any comparison."});
  if (result.quick)
    warnings.push_back({"run", "Quick: few and short blocks, for a first look. Decide nothing by its numbers."});
  if (result.in_process)
    warnings.push_back(
        {"run", "All roles were threads of one process (--in-process): compare its numbers with no other run's."});
}

void of_the_twins(const Result& result, Warnings& warnings) {
  if (const std::string banner = resolution_banner(result); !banner.empty()) {
    warnings.push_back({"A/A", banner.substr(banner.starts_with("A/A ") ? 4 : 0)});
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

const Json& member(const Json& json, const char* key) {
  static const Json none;
  return json.is_object() && json.contains(key) ? json[key] : none;
}

void of_the_machine(const Json& machine, const std::string& subject, Warnings& warnings) {
  const Json& flags = member(machine, "processor_flags");
  if (flags.is_array() && member(machine, "architecture") == "x86_64" &&
      std::find(flags.begin(), flags.end(), "aes") == flags.end())
    warnings.push_back({subject, "This processor has no AES instructions."});
  constexpr double busy = 0.5;  // of the processors
  const auto load = first_number(member(machine, "load")), processors = first_number(member(machine, "processors"));
  if (load && processors && *load > busy * *processors)
    warnings.push_back(
        {subject, fmt::format("It was busy when the run began: load {:.2f} on {}.", *load,
                              counted(static_cast<std::uint64_t>(*processors), "processor", "processors"))});
  const Json& alias = member(machine, "copy_alias");
  if (member(alias, "affected") == true) {
    const double worst = std::max(first_number(member(alias, "memcpy_slowdown")).value_or(0),
                                  first_number(member(alias, "socket_slowdown")).value_or(0));
    warnings.push_back(
        {subject,
         fmt::format("Copies between some places in memory are up to {:.0f} x slower here (copy alias). Buffers "
                     "are placed anew for each block, so this widens intervals and favours nobody.",
                     worst)});
  }
}

// What a flag stands for.
std::string flag_words(const std::string& flag) {
  if (flag == "steal") return "the hypervisor took over 1 % of the processors' time";
  if (flag == "late") return "processes woke up late, in sum over 1 % of the time measured";
  if (flag == "switches") return "a process lost its processor more than 10 times as often as usual";
  if (flag == "outlier") return "the throughput was far from that of the arm's other blocks";
  return "something unusual was seen";
}

void of_the_blocks(const Result& result, Warnings& warnings) {
  std::map<std::string, std::size_t> flagged;
  std::size_t blocks = 0;
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      if (arm.status != Status::ok) continue;
      for (const Block& block : arm.blocks) {
        ++blocks;
        for (const std::string& flag : block.flags) ++flagged[flag];
      }
    }
  }
  if (flagged.empty()) return;
  std::vector<std::string> words;
  for (const auto& [flag, count] : flagged)
    words.push_back(fmt::format("{} {} ({})", count, with_spaces(flag), flag_words(flag)));
  warnings.push_back({"blocks", fmt::format("Of {}: {}. They count all the same.", counted(blocks, "block", "blocks"),
                                            joined(words, ", "))});
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

std::vector<Warning> warnings_of(const Result& result) {
  Warnings warnings;
  if (!result.runs.empty()) warnings.push_back({"runs", runs_sentence(result)});
  of_the_run(result, warnings);
  of_the_twins(result, warnings);
  of_the_arms(result, warnings);
  of_the_backends(result, warnings);
  if (result.runs.empty()) of_the_machine(result.machine, "machine", warnings);
  for (const RunRecord& run : result.runs) of_the_machine(run.machine, "machine of " + run.label, warnings);
  of_the_blocks(result, warnings);
  return warnings;
}

}  // namespace tlsrig::report
