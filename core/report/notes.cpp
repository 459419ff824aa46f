// Backends, machine, command and reading notes of the terminal report.
#include <tlsrig/report/notes.hpp>

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/report/format.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/table.hpp>

namespace tlsrig::report {
namespace {

std::string heading(std::string_view text, const TextOptions& options) {
  return "\n" + painted(text, Style::strong, options.colour) + "\n";
}

// "  name       text", wrapped with the text's column kept.
std::string labelled(std::string_view label, std::string_view text, std::size_t label_width, std::size_t width) {
  const std::string margin(label_width + 4, ' ');
  std::string first = "  " + std::string(label);
  if (first.size() < margin.size()) first.resize(margin.size(), ' ');
  return wrapped(one_line(text), width, first, margin);
}

std::string name_of(const BackendRecord& backend) {
  return backend.variant ? backend.name + ":" + *backend.variant : backend.name;
}

std::string backend_text(const BackendRecord& backend, std::size_t label_width, const TextOptions& options) {
  const std::size_t room = options.width > label_width + 4 ? options.width - label_width - 4 : 1;
  const auto line = [&](std::string_view label, std::string_view text) {
    return labelled(label, text, label_width, options.width);
  };
  std::string text = line(name_of(backend), backend.library.empty() ? "(version not told)" : backend.library);
  for (const LibraryFile& file : backend.files) {
    const std::string build_id = file.build_id.empty() ? "without build-id" : "build-id " + file.build_id;
    text += line("", file.path + ", " + build_id);
  }
  if (!backend.build.empty()) {
    const std::string whole = one_line(fmt::format("build: {}", backend.build));
    text += line("", options.verbose ? whole : shortened(whole, room));
  }
  for (const std::string& warning : backend.warnings) {
    std::string paragraph = labelled("", "WARNING: " + warning, label_width, options.width);
    const std::size_t begin = paragraph.find("WARNING:");
    paragraph.replace(begin, 8, painted("WARNING:", Style::caution, options.colour));
    text += paragraph;
  }
  return text;
}

std::string plain_text(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A value in a few words; empty when it has none: null, a table, or too long to be read in passing.
std::string short_words(const Json& json) {
  constexpr std::size_t longest = 80;
  std::string words;
  if (json.is_array()) {
    for (const Json& element : json) {
      if (element.is_structured()) return "";
      words += (words.empty() ? "" : " ") + plain_text(element);
    }
  } else if (!json.is_object() && !json.is_null()) {
    words = plain_text(json);
  }
  return words.size() <= longest ? words : "";
}

// What the rig recorded of the machine, whatever it was; long texts are in the file alone.
void collect_values(const Json& json, const std::string& prefix, std::string& out) {
  for (const auto& item : json.items()) {
    const std::string name = prefix + with_spaces(item.key());
    if (item.value().is_object()) collect_values(item.value(), name + " ", out);
    const std::string words = short_words(item.value());
    if (!words.empty()) out += (out.empty() ? "" : ", ") + name + " " + words;
  }
}

// An argument as a shell takes it back.
std::string quoted(const std::string& argument) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!argument.empty() && argument.find_first_not_of(harmless) == std::string::npos) return argument;
  std::string result = "'";
  for (const char byte : argument) result += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return result + "'";
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

bool any_comparison(const Result& result, const std::function<bool(const Comparison&)>& predicate) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const Cell& cell) {
    const auto valid = valid_comparisons(cell);
    return std::any_of(valid.begin(), valid.end(),
                       [&](const Comparison* comparison) { return predicate(*comparison); });
  });
}

}  // namespace

const BackendRecord* find_backend(const Result& result, const Arm& arm) {
  const auto found = std::find_if(result.backends.begin(), result.backends.end(), [&](const BackendRecord& record) {
    return record.name == arm.backend && record.variant == arm.variant;
  });
  return found == result.backends.end() ? nullptr : &*found;
}

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

std::string run_text(const Result& result, const TextOptions& options) {
  constexpr std::size_t label_width = 8;
  std::string machine, command;
  if (result.machine.is_object()) collect_values(result.machine, "", machine);
  for (const std::string& argument : result.command) command += (command.empty() ? "" : " ") + quoted(argument);

  std::string text = heading("Run", options);
  if (!machine.empty()) text += labelled("machine", machine, label_width, options.width);
  if (result.in_process)
    text +=
        labelled("process",
                 "one for all roles, as threads (--in-process): for debuggers and profilers. Compare its numbers with "
                 "no other run's; no deadlines held.",
                 label_width, options.width);
  text += labelled("seed", std::to_string(result.seed), label_width, options.width);
  if (!command.empty()) text += labelled("command", command, label_width, options.width);
  if (!result.version.empty()) text += labelled("tlsrig", result.version, label_width, options.width);
  return text;
}

std::string reading_text(const Result& result, const TextOptions& options) {
  std::string text;
  const auto note = [&](std::string_view label, std::string_view words) {
    text += labelled(label, words, 14, options.width);
  };
  if (any_arm(result, [](const Cell&, const Arm& arm) { return main_metric(arm) != nullptr; })) {
    note("throughput",
         "median over the blocks; the ± beside it is half the width of that median's 95 % interval. The "
         "machine's drift is in it, so compare arms by their ratio and not by this.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) { return has_metric(arm, "payload_bytes_per_second"); })) {
    note("payload", "message bytes without TLS's own; a round trip counts both ways.");
  }
  if (any_comparison(result, [](const Comparison& comparison) { return comparison.low.has_value(); })) {
    note("ratio", "arm / baseline, paired block by block (Hodges-Lehmann), with the exact 95 % signed-rank interval.");
  }
  if (any_comparison(result, [](const Comparison& comparison) { return comparison.verdict.has_value(); })) {
    note("verdict",
         "faster, slower: the whole interval lies beyond the limit, which is the equivalence asked for or "
         "what the A/A twin shows this machine cannot resolve. equivalent: the whole interval lies within "
         "the equivalence. likely: only 1 is excluded; about 1 equal cell in 20 shows it by chance.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) { return arm.twin; })) {
    note("A/A twin", "the baseline once more, under its own processes: its ratio should hold 1.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) { return is_yardstick(arm); })) {
    note("plaintcp", "the same traffic without TLS: what the rig and the kernel cost. It is not ranked.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) { return has_metric(arm, "cpu_"); })) {
    note("CPU", "user and system time of all threads of that side's process, per operation.");
  }
  const auto counted = [](const Cell&, const Arm& arm) { return !arm.proof.roles.empty(); };
  if (options.verbose && any_arm(result, counted)) {
    note("calls, bytes",
         "socket calls of that side's process, whatever they gave, and bytes of the stream, per operation of the "
         "measured slices. \"-\": none there, or the library's calls went round those that are counted.");
    note("records", "TLS records per operation of the warm-up, where their headers are read.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) { return has_metric(arm, "service_time_"); })) {
    note("service time",
         "from sending a message to its reply in a closed loop: the next message waits for the reply, "
         "so a stall delays few. It is not the response time under a given load.");
  }
  if (any_arm(result, [](const Cell&, const Arm& arm) {
        return std::any_of(arm.blocks.begin(), arm.blocks.end(),
                           [](const Block& block) { return !block.flags.empty(); });
      })) {
    note("flagged",
         "something disturbed the block, which counts all the same. steal: the hypervisor took over 1 % of the "
         "processors' time. late: processes woke up late in their slices, in sum over 1 % of the time measured.");
  }
  return text.empty() ? "" : heading("How to read this", options) + text;
}

std::string outcome_text(const Result& result, const TextOptions& options) {
  std::size_t counts[4] = {};
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) ++counts[static_cast<std::size_t>(arm.status)];
  }
  std::string text =
      fmt::format("\n{} {}: {} arms ok", result.cells.size(), result.cells.size() == 1 ? "cell" : "cells",
                  counts[static_cast<std::size_t>(Status::ok)]);
  const auto more = [&](Status status, std::string_view words, Style style) {
    const std::size_t count = counts[static_cast<std::size_t>(status)];
    if (count > 0) text += ", " + painted(fmt::format("{} {}", count, words), style, options.colour);
  };
  more(Status::failed, "failed", Style::bad);
  more(Status::unsupported, "unsupported", Style::caution);
  more(Status::incomplete, "incomplete", Style::caution);
  text += "\n";
  if (!result.complete) {
    text += painted("INCOMPLETE: the run ended before everything was measured.", Style::bad, options.colour) + "\n";
  }
  return text;
}

}  // namespace tlsrig::report
