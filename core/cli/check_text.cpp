// The judgement of `tlsrig check` for people: what is wrong first and at length, then what was seen in one table.
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/cli/check_report.hpp>
#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::cli {

namespace {

using check::Finding;
using check::Verdict;
using report::Style;

// One screen: the first faults are told in full, some more in a line each, all of them with -v.
constexpr std::size_t told_in_full = 3, told_in_a_line = 12, names_shown = 8;

Style style_of(Verdict verdict) {
  if (verdict == Verdict::pass) return Style::good;
  if (verdict == Verdict::warn) return Style::caution;
  return verdict == Verdict::skip ? Style::faint : Style::bad;
}

// "wire, TLS 1.3", "fd, no TLS", "plugin".
std::string place_of(const Finding& finding) {
  if (finding.transport.empty()) return "plugin";
  const std::string version = finding.version == "none" ? "no TLS" : "TLS " + finding.version;
  return fmt::format("{}, {}{}", finding.transport, version, finding.step.starts_with("interop/") ? ", peers" : "");
}

class CheckText {
 public:
  CheckText(const check::Judged& judged, const CheckRequest& request, const CheckStyle& style)
      : judged_(judged), request_(request), style_(style) {}

  std::string text() {
    add_head();
    if (style_.verbose) add_every_step();
    const std::vector<Fault> found = faults();
    add_faults(found);
    add_counts();
    if (!style_.verbose) add_skips();
    add_end(found.size());
    return std::move(text_);
  }

 private:
  std::string painted(Verdict verdict, std::size_t width = 5) const {
    return report::painted(fmt::format("{:<{}}", name_of(verdict), width), style_of(verdict), style_.colour);
  }

  void add_labelled(std::string_view label, std::string_view words) {
    if (words.empty()) return;
    text_ += report::wrapped(words, style_.width, fmt::format("  {:<9} ", label), std::string(12, ' '));
  }

  void add_head() {
    const check::Json& plugin = judged_.plugin;
    if (plugin.contains("name"))
      text_ += fmt::format("{}: {}\n", plugin.at("name").get<std::string>(), plugin.at("library").get<std::string>());
    add_labelled("plugin", plugin.at("path").get<std::string>());
    if (!plugin.contains("name")) return;
    add_labelled("build", plugin.at("build").get<std::string>());
    for (const check::Json& file : plugin.at("files")) add_labelled("file", file.at("path").get<std::string>());
    for (const check::Json& warning : plugin.at("warnings")) add_labelled("WARNING", warning.get<std::string>());
    add_labelled("seed", fmt::format("{}", request_.seed));
  }

  // Every step's process starts the plugin: what it prints there is told once.
  void add_every_step() {
    text_ += '\n';
    const auto start = std::ranges::find(judged_.findings, "start", &Finding::step);
    for (const Finding& finding : judged_.findings) {
      add_line(finding);
      const bool known = start != judged_.findings.end() && &finding != &*start && finding.output == start->output;
      if (!known) add_output(finding);
    }
  }

  void add_line(const Finding& finding) {
    const std::string line =
        finding.outcome.words.empty() ? finding.name() : fmt::format("{}: {}", finding.name(), finding.outcome.words);
    const std::string shown = report::one_line(line);
    text_ += fmt::format("{} {}\n", painted(finding.outcome.verdict),
                         style_.verbose ? shown : report::shortened(shown, style_.width - 6));
  }

  void add_output(const Finding& finding) {
    std::string_view rest = finding.output;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      text_ += fmt::format("      | {}\n", report::one_line(line));
    }
  }

  // Those that do not pass, the worse ones first; of each kind the first one, and the names of the others.
  struct Fault {
    const Finding* first;
    std::vector<std::string> others;
  };

  // What is the same but for numbers is the same fault.
  static std::string kind_of(const Finding& finding) {
    std::string kind(name_of(finding.outcome.verdict));
    for (const char letter : finding.outcome.words)
      if (letter < '0' || letter > '9') kind += letter;
    return kind;
  }

  std::vector<Fault> faults() const {
    std::vector<Fault> list;
    std::map<std::string, std::size_t> known;
    for (const bool wanting : {true, false})
      for (const Finding& finding : judged_.findings) {
        const Verdict verdict = finding.outcome.verdict;
        if (wanting ? !is_fault(verdict) : verdict != Verdict::warn) continue;
        const auto [place, added] = known.emplace(kind_of(finding), list.size());
        if (added)
          list.push_back({&finding, {}});
        else
          list[place->second].others.push_back(finding.name());
      }
    return list;
  }

  // The traced calls of what is told at length; of a single step that was asked for, whatever it came to.
  void add_faults(const std::vector<Fault>& list) {
    const std::size_t in_full = style_.verbose ? list.size() : std::min(list.size(), told_in_full);
    for (std::size_t i = 0; i < in_full; ++i) add_fault(list[i]);
    const std::size_t in_a_line = std::min(list.size() - in_full, told_in_a_line);
    if (in_a_line > 0) text_ += '\n';
    for (std::size_t i = in_full; i < in_full + in_a_line; ++i) add_line(*list[i].first);
    if (in_full + in_a_line < list.size())
      text_ += fmt::format("      and {} more: -v shows all\n", list.size() - in_full - in_a_line);
    if (!style_.trace || !list.empty()) return;
    for (const Finding& finding : judged_.findings)
      if (finding.outcome.verdict == Verdict::pass && !finding.calls.empty()) {
        text_ += '\n';
        add_line(finding);
        add_calls(finding);
      }
  }

  void add_fault(const Fault& fault) {
    const Finding& finding = *fault.first;
    text_ += fmt::format("\n{} {}\n", painted(finding.outcome.verdict), finding.name());
    add_labelled("what", report::one_line(finding.outcome.words));
    add_labelled("where", finding.where);
    add_labelled("contract", finding.law);
    add_labelled("cure", finding.cure);
    text_ += fmt::format("  {:<9} {}\n", "repeat", repeat_command(request_, finding));  // in one line, to be copied
    if (!finding.output.empty() && !style_.verbose)
      add_labelled("printed", report::shortened(report::one_line(finding.output), 3 * style_.width));
    add_labelled("also in", some_of(fault.others));
    if (style_.trace) add_calls(finding);
  }

  // One screen: some names stand for all.
  std::string some_of(std::vector<std::string> names) const {
    const std::size_t more = style_.verbose || names.size() <= names_shown ? 0 : names.size() - names_shown + 1;
    names.resize(names.size() - more);
    if (more > 0) names.push_back(fmt::format("and {} more (-v names them)", more));
    return report::joined(names, ", ");
  }

  void add_calls(const Finding& finding) {
    for (const check::TracedCall& call : finding.calls) text_ += fmt::format("  {}\n", line_of(call));
  }

  void add_counts() {
    std::vector<std::string> places;
    std::map<std::string, std::map<Verdict, std::size_t>> counts;
    for (const Finding& finding : judged_.findings) {
      const std::string place = place_of(finding);
      if (!counts.contains(place)) places.push_back(place);
      ++counts[place][finding.outcome.verdict];
    }
    report::Table table;
    table.columns.push_back({"", "steps", report::Align::left});
    for (const Verdict verdict : verdicts_seen())
      table.columns.push_back({"", std::string(name_of(verdict)), report::Align::right});
    for (const std::string& place : places) {
      report::Row row;
      row.entries.push_back({place});
      for (const Verdict verdict : verdicts_seen()) {
        const std::size_t count = counts[place].contains(verdict) ? counts[place].at(verdict) : 0;
        row.entries.push_back({count ? fmt::format("{}", count) : "", style_of(verdict)});
      }
      table.rows.push_back(std::move(row));
    }
    text_ += report::to_text(table, style_.width, style_.colour);
  }

  std::vector<Verdict> verdicts_seen() const {
    std::vector<Verdict> seen;
    for (const Verdict verdict : check::verdicts)
      if (std::ranges::any_of(judged_.findings, [&](const Finding& f) { return f.outcome.verdict == verdict; }))
        seen.push_back(verdict);
    return seen;
  }

  // By reason: a step that is skipped over every combination for one reason is named once.
  void add_skips() {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const Finding& finding : judged_.findings) {
      if (finding.outcome.verdict != Verdict::skip) continue;
      auto known = std::ranges::find(reasons, finding.outcome.words, &decltype(reasons)::value_type::first);
      if (known == reasons.end()) known = reasons.insert(reasons.end(), {finding.outcome.words, {}});
      const std::string name = finding.not_run ? place_of(finding) : finding.step;
      if (std::ranges::find(known->second, name) == known->second.end()) known->second.push_back(name);
    }
    if (!reasons.empty()) text_ += '\n';
    for (const auto& [reason, names] : reasons)
      text_ += report::wrapped(fmt::format("{}: {}", reason, some_of(names)), style_.width,
                               painted(Verdict::skip) + " ", std::string(6, ' '));
  }

  std::size_t count(Verdict verdict) const {
    return std::size_t(std::ranges::count_if(judged_.findings, [&](const Finding& finding) {
      return finding.outcome.verdict == verdict && !finding.not_run;
    }));
  }

  void add_end(std::size_t kinds_of_faults) {
    const auto not_run = std::size_t(std::ranges::count_if(judged_.findings, &Finding::not_run));
    const Verdict verdict = verdict_of(judged_);
    std::string words = fmt::format("{} passed, {} skipped", report::counted(count(Verdict::pass), "step", "steps"),
                                    count(Verdict::skip));
    if (not_run > 0) words += fmt::format(", {} not run", not_run);
    words += fmt::format(", in {}", report::format_duration(judged_.seconds));
    if (!judged_.loadable)
      words += "; the plugin cannot be loaded, so nothing else was judged";
    else if (kinds_of_faults > 0)
      words += fmt::format("; {} to mend{}", report::counted(kinds_of_faults, "fault", "faults"),
                           verdict == Verdict::warn && !style_.strict ? ", none of which breaks the contract" : "");
    text_ += fmt::format("\n{} {}\n", painted(verdict, 4), words);
  }

  const check::Judged& judged_;
  const CheckRequest& request_;
  const CheckStyle& style_;
  std::string text_;
};

}  // namespace

std::string check_text(const check::Judged& judged, const CheckRequest& request, const CheckStyle& style) {
  return CheckText(judged, request, style).text();
}

}  // namespace tlsrig::cli
