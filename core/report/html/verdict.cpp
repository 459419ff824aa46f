// Marks of verdicts.
#include <tlsrig/report/html/verdict.hpp>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

std::string tone_class(std::string_view verdict) {
  switch (tone_of(verdict)) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::likely_good:
      return "likely-good";
    case Tone::likely_bad:
      return "likely-bad";
    case Tone::open:
      return "open";
    case Tone::neutral:
      break;
  }
  return "none";
}

// An arm may be slower and take less CPU time: "faster" of CPU time misleads where both stand on one page.
std::string spoken(const std::string& metric, const std::string& verdict) {
  const std::size_t last = verdict.rfind(' ') + 1;  // behind "likely "
  const std::string_view word = std::string_view(verdict).substr(last);
  if (!metric.starts_with("cpu_") || (word != "faster" && word != "slower")) return verdict;
  return verdict.substr(0, last) + (word == "faster" ? "less CPU" : "more CPU");
}

Marking without_number(const Arm& arm) {
  const char* symbol = arm.status == Status::failed ? "✕" : arm.status == Status::unsupported ? "∅" : "…";
  return {symbol, std::string(words_for(arm.status)), arm.reason.value_or("no reason told"), "missing"};
}

}  // namespace

Marking marking_of(const Cell& cell, const Arm& arm) { return marking_of(cell, arm, main_metric_name(cell)); }

Marking marking_of(const Cell& cell, const Arm& arm, const std::string& metric) {
  if (arm.status != Status::ok) return without_number(arm);
  if (arm.id == cell.baseline) return {"◆", "baseline", "", "none"};
  if (arm.twin) return {"◇", "A/A twin", "", "none"};
  if (is_yardstick(cell, arm)) return {"○", "no TLS", "", "none"};
  const Comparison* comparison = find_comparison(cell, arm.id, metric);
  if (comparison == nullptr || !comparison->ratio) return {"–", "not compared", "", "none"};
  if (!comparison->verdict) return {"–", "no verdict", "", "none"};
  return {std::string(mark_of(*comparison->verdict)), spoken(metric, *comparison->verdict), "",
          tone_class(*comparison->verdict)};
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

}  // namespace tlsrig::report::html
