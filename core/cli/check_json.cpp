// The judgement of `tlsrig check` for programs.
#include <fmt/format.h>

#include <tlsrig/cli/check_report.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::cli {

namespace {

using check::Json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json to_json(const check::WindowState& state) {
  if (!state.wire) return nullptr;
  return {{"in_size", state.in_size},
          {"in_used", state.in_used},
          {"in_ended", state.in_ended},
          {"out_size", state.out_size},
          {"out_used", state.out_used}};
}

Json to_json(const check::TracedCall& call) {
  return {{"number", call.number},
          {"who", text_or_null(call.who)},
          {"slot", call.slot},
          {"size", call.size},
          {"before", to_json(call.before)},
          {"result", call.came_back() ? Json(call.result) : Json()},
          {"moved", call.got},
          {"after", to_json(call.after)},
          {"seconds", call.came_back() ? Json(double(call.end_ns - call.begin_ns) / 1e9) : Json()},
          {"repeated", call.repeated}};
}

Json to_json(const check::Finding& finding, const CheckRequest& request, bool trace) {
  Json json{{"name", finding.name()},
            {"step", finding.step},
            {"transport", text_or_null(finding.transport)},
            {"version", text_or_null(finding.version)},
            {"verdict", name_of(finding.outcome.verdict)},
            {"what", finding.outcome.words},
            {"where", finding.where},
            {"contract", finding.law},
            {"cure", finding.cure},
            {"repeat", repeat_command(request, finding)},
            {"seconds", finding.seconds},
            {"output", finding.output}};
  if (trace) {
    json["calls"] = Json::array();
    for (const check::TracedCall& call : finding.calls) json["calls"].push_back(to_json(call));
  }
  return json;
}

}  // namespace

std::string repeat_command(const CheckRequest& request, const check::Finding& finding) {
  std::vector<std::string> words{"tlsrig", "check", request.plugin};
  for (const std::string& place : request.places) words.insert(words.end(), {"-B", place});
  words.insert(words.end(), {"--step", finding.name(), "--seed", fmt::format("{}", request.seed), "--in-process"});
  return report::command_text(words);
}

check::Verdict verdict_of(const check::Judged& judged) {
  using check::Verdict;
  bool warned = false, passed = false;
  for (const check::Finding& finding : judged.findings) {
    if (is_fault(finding.outcome.verdict)) return Verdict::fail;
    warned |= finding.outcome.verdict == Verdict::warn;
    passed |= finding.outcome.verdict == Verdict::pass;
  }
  return warned ? Verdict::warn : passed ? Verdict::pass : Verdict::skip;
}

check::Json check_json(const check::Judged& judged, const CheckRequest& request, bool trace) {
  Json summary;
  for (const check::Verdict verdict : check::verdicts) summary[std::string(name_of(verdict))] = 0;
  Json steps = Json::array();
  for (const check::Finding& finding : judged.findings) {
    steps.push_back(to_json(finding, request, trace));
    Json& count = summary[std::string(name_of(finding.outcome.verdict))];
    count = count.get<std::size_t>() + 1;
  }
  return {{"schema", 1},
          {"plugin", judged.plugin},
          {"seed", request.seed},
          {"steps", std::move(steps)},
          {"summary", std::move(summary)},
          {"verdict", name_of(verdict_of(judged))},
          {"seconds", judged.seconds}};
}

}  // namespace tlsrig::cli
