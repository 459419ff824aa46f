// Backends, machine, command and reading notes of the terminal report.
#include <tlsrig/report/terminal/notes.hpp>

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/machine.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string heading(std::string_view text, const TextOptions& options) {
  return "\n" + painted(text, Style::strong, options.colour) + "\n";
}

// "  name       text", wrapped with the text's column kept.
std::string labelled(std::string_view label, std::string_view text, std::size_t label_width, std::size_t width) {
  const std::string margin(label_width + 4, ' ');
  std::string first = "  " + std::string(label);
  if (const std::size_t taken = display_width(first); taken < margin.size()) first.append(margin.size() - taken, ' ');
  return wrapped(one_line(text), width, first, margin);
}

std::string backend_text(const BackendRecord& backend, std::size_t label_width, const TextOptions& options) {
  const std::size_t room = options.width > label_width + 4 ? options.width - label_width - 4 : 1;
  const auto line = [&](std::string_view label, std::string_view text) {
    return labelled(label, text, label_width, options.width);
  };
  const std::string whose = backend.run.empty() ? "" : " (run " + one_line(backend.run) + ")";
  std::string text = line(name_of(backend), (backend.library.empty() ? "(version not told)" : backend.library) + whose);
  for (const LibraryFile& file : backend.files) {
    const std::string build_id = file.build_id.empty() ? "without build-id" : "build-id " + file.build_id;
    text += line("", file.path + ", " + build_id);
  }
  if (!backend.build.empty()) {
    const std::string whole = one_line(fmt::format("build: {}", backend.build));
    text += line("", options.verbose ? whole : shortened(whole, room));
  }
  return text;
}

using Predicate = std::function<bool(const Cell&, const Arm&)>;

bool any_arm(const Result& result, const Predicate& predicate) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const Cell& cell) {
    return std::any_of(cell.arms.begin(), cell.arms.end(),
                       [&](const Arm& arm) { return arm.status == Status::ok && predicate(cell, arm); });
  });
}

bool has_metric(const Arm& arm, std::string_view prefix) {
  return std::any_of(arm.metrics.begin(), arm.metrics.end(),
                     [&](const Metric& metric) { return metric.name.starts_with(prefix) && metric.value; });
}

// A percentile that this arm has no value for, and another arm of its cell has.
bool lacks_a_percentile(const Cell& cell, const Arm& arm) {
  return std::any_of(arm.metrics.begin(), arm.metrics.end(), [&](const Metric& metric) {
    return !metric.value && std::any_of(cell.arms.begin(), cell.arms.end(), [&](const Arm& other) {
      const Metric* theirs = find_metric(other, metric.name);
      return other.status == Status::ok && theirs != nullptr && theirs->value;
    });
  });
}

bool any_comparison(const Result& result, const std::function<bool(const Comparison&)>& predicate) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const Cell& cell) {
    const auto valid = valid_comparisons(cell);
    return std::any_of(valid.begin(), valid.end(),
                       [&](const Comparison* comparison) { return predicate(*comparison); });
  });
}

}  // namespace

std::string backends_text(const Result& result, const TextOptions& options) {
  if (result.backends.empty()) return "";
  std::size_t label_width = 0;
  for (const BackendRecord& backend : result.backends) {
    label_width = std::max(label_width, display_width(name_of(backend)));
  }
  std::string text = heading("Backends", options);
  for (const BackendRecord& backend : result.backends) text += backend_text(backend, label_width, options);
  return text;
}

namespace {

// Machine, seed, command and the like: of a result, or of one of the runs that it holds.
template <typename Run>
std::string facts_text(const Run& run, const TextOptions& options) {
  constexpr std::size_t label_width = 8;
  const std::string machine = machine_words(run.machine, options.verbose);
  const std::string command = command_text(run.command);

  std::string text;
  if (!machine.empty()) text += labelled("machine", machine, label_width, options.width);
  if (run.in_process)
    text +=
        labelled("process",
                 "one for all roles, as threads (--in-process): for debuggers and profilers. Compare its numbers with "
                 "no other run's; no deadlines held.",
                 label_width, options.width);
  text += labelled("seed", std::to_string(run.seed), label_width, options.width);
  if (!command.empty()) text += labelled("command", command, label_width, options.width);
  if (!run.version.empty()) text += labelled("tlsrig", run.version, label_width, options.width);
  return text;
}

}  // namespace

std::string run_text(const Result& result, const TextOptions& options) {
  if (result.runs.empty()) return heading("Run", options) + facts_text(result, options);
  std::string text;
  for (const RunRecord& run : result.runs)
    text += heading("Run " + one_line(run.label), options) + facts_text(run, options);
  return text;
}

namespace {

// What each metric is, in the words that the result file has.
std::string counted_text(const Result& result, const TextOptions& options) {
  std::string text;
  for (const Meaning& meaning : meanings(result)) {
    const std::string where = where_words(meaning);
    text += wrapped(one_line(fmt::format("{}: {}{}.", metric_words(meaning.metric), meaning.description,
                                         where.empty() ? "" : " " + where)),
                    options.width, "  ", "    ");
  }
  return text.empty() ? "" : heading("What the numbers count", options) + text;
}

}  // namespace

std::string reading_text(const Result& result, const TextOptions& options) {
  std::string text;
  const auto note = [&](std::string_view label, std::string_view words) {
    text += labelled(label, words, 14, options.width);
  };
  const auto with_metric = [&](std::string_view prefix) {
    return any_arm(result, [&](const Cell&, const Arm& arm) { return has_metric(arm, prefix); });
  };
  if (any_comparison(result, [](const Comparison& comparison) { return comparison.low.has_value(); }))
    note("ratio", "arm / baseline, paired block by block (Hodges-Lehmann), with the exact 95 % signed-rank interval.");
  if (any_comparison(result, [](const Comparison& comparison) { return comparison.verdict.has_value(); }))
    note("verdict",
         "faster, slower: the whole interval lies beyond the limit, which is the equivalence asked for or what the A/A "
         "twin (the baseline once more) shows this machine cannot resolve. equivalent: the whole interval lies within "
         "the equivalence. likely: only 1 is excluded; about 1 equal cell in 20 shows it by chance.");
  if (any_arm(result, [](const Cell&, const Arm& arm) {
        const Metric* metric = main_metric(arm);
        return metric != nullptr && metric->low && metric->high;
      }))
    note("±",
         "half the 95 % interval of the median beside it, which holds the machine's drift. A ratio is paired block by "
         "block and is no ratio of these medians: it may lie below 1 beside the larger one.");
  if (with_metric("service_time_"))
    note("service time",
         "from sending a message to its reply in a closed loop: the next message waits for the reply, so a stall "
         "delays few. It is not the response time under a given load.");
  if (any_arm(result, lacks_a_percentile)) note("-", "too few samples for this percentile.");
  if (any_arm(result, is_yardstick))
    note("no TLS", "the same traffic in the clear: what the rig and the kernel cost. It is not ranked.");
  if (options.verbose) {
    if (with_metric("")) note("throughput", "median over the blocks: compare arms by their ratio and not by this.");
    if (with_metric("payload_bytes_per_second")) note("payload", "message bytes without TLS's own.");
    if (with_metric("cpu_"))
      note("CPU",
           "user and system time of all threads of that side's process, per operation. An engine is one process; sum: "
           "both its sides, and what lies between them.");
    if (any_arm(result, [](const Cell&, const Arm& arm) { return !arm.proof.roles.empty(); })) {
      note("calls, bytes",
           "socket calls of that side, whatever they gave, and bytes of the stream, per operation of the "
           "measured slices. \"-\": none there, or the library's calls went round those that are counted.");
      note("records", "TLS records per operation of the warm-up, where their headers are read.");
    }
  }
  const std::string counted = options.verbose ? counted_text(result, options) : "";
  if (text.empty()) return counted;
  return heading(options.verbose ? "How to read this" : "How to read this (-v: all of it)", options) + text + counted;
}

std::string warnings_text(const Result& result, const TextOptions& options) {
  std::string text;
  for (const Warning& warning : warnings_of(result)) {
    // Said with the conclusions, where nobody overlooks it; and of several runs above the cells.
    if (warning.about_all) continue;
    std::string line = wrapped(one_line(warning.subject + ": " + warning.text), options.width, "  ! ", "    ");
    line.replace(2, 1, painted("!", Style::caution, options.colour));
    text += line;
  }
  return text.empty() ? "" : heading("Warnings", options) + text;
}

std::string conclusions_text(const Result& result, const TextOptions& options) {
  std::string text;
  const std::vector<Conclusion> all = conclusions(result);
  std::string scenario;
  const bool several = std::any_of(all.begin(), all.end(), [&](const Conclusion& conclusion) {
    return conclusion.scenario != all.front().scenario;
  });
  for (const Conclusion& conclusion : all) {
    if (several && conclusion.scenario != scenario) text += "  " + one_line(conclusion.scenario) + "\n";
    scenario = conclusion.scenario;
    const std::string sentence = one_line(conclusion.sentence);
    std::string lines = wrapped(sentence, options.width, several ? "    " : "  ", several ? "      " : "    ");
    const std::string name = sentence.substr(0, sentence.find(": "));
    lines.replace(lines.find(name), name.size(), painted(name, Style::strong, options.colour));
    text += lines;
  }
  if (const std::string words = resolution_sentence(result); !words.empty()) {
    const std::string lines = wrapped(one_line(words), options.width, "  ", "    ");
    text += painted(lines.substr(0, lines.size() - 1),
                    resolution_banner(result).empty() ? Style::plain : Style::caution, options.colour) +
            "\n";
  }
  return text.empty() ? "" : heading("Conclusions", options) + text;
}

std::string outcome_text(const Result& result, const TextOptions& options) {
  std::size_t counts[4] = {};
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) ++counts[static_cast<std::size_t>(arm.status)];
  }
  std::string text = fmt::format("\n{}: {} arms ok", counted(result.cells.size(), "cell", "cells"),
                                 counts[static_cast<std::size_t>(Status::ok)]);
  const auto more = [&](Status status, std::string_view words, Style style) {
    const std::size_t count = counts[static_cast<std::size_t>(status)];
    if (count > 0) text += ", " + painted(fmt::format("{} {}", count, words), style, options.colour);
  };
  more(Status::failed, "failed", Style::bad);
  more(Status::unsupported, "unsupported", Style::caution);
  more(Status::incomplete, "incomplete", Style::caution);
  text += "\n";
  if (result.quick)
    text += painted("QUICK: few and short blocks, for a first look. Decide nothing by these numbers.", Style::caution,
                    options.colour) +
            "\n";
  if (!result.complete) {
    text += painted("INCOMPLETE: the run ended before everything was measured.", Style::bad, options.colour) + "\n";
  }
  return text;
}

}  // namespace tlsrig::report
