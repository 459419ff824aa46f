// The comparison of a judgement with what is expected.
#include "judge.hpp"

#include <regex.h>

#include <map>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace tlsrig::tests::kit {

namespace {

using Json = nlohmann::json;

// A POSIX expression: gcc 12 warns inside its own <regex> when sanitizers are on.
bool matches(const std::string& text, const std::string& pattern) {
  regex_t expression;
  if (regcomp(&expression, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    throw std::runtime_error("no regular expression: " + pattern);
  const bool found = regexec(&expression, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&expression);
  return found;
}

bool is_fault(const std::string& verdict) {
  return verdict == "FAIL" || verdict == "CRASH" || verdict == "EXIT" || verdict == "HANG";
}

// A message has five parts. What is judged by the file alone has no place: nothing was called.
void demand_all_parts(const Json& step, Complaints& complaints) {
  const std::string name = step.at("step");
  const bool called = !step.at("transport").is_null() || name == "load" || name == "start" || name == "orderly-exit";
  for (const std::string_view part : {"what", "where", "contract", "cure", "repeat"})
    if ((called || part != "where") && step.at(part).get<std::string>().empty())
      complaints.push_back(fmt::format("{}: {} is empty", step.at("name").get<std::string>(), part));
}

void compare_step(const ExpectedStep& expected, const Json& check, Complaints& complaints) {
  const Json* const step = find_step(check, expected.name);
  if (!step) {
    complaints.push_back(fmt::format("there is no step {}", expected.name));
    return;
  }
  const std::string verdict = step->at("verdict"), what = step->at("what"), where = step->at("where");
  if (verdict != expected.verdict)
    complaints.push_back(fmt::format("{}: verdict {}, expected {}", expected.name, verdict, expected.verdict));
  if (!matches(what, expected.what))
    complaints.push_back(fmt::format("{}: what is \"{}\", expected /{}/", expected.name, what, expected.what));
  if (!expected.where.empty() && !matches(where, expected.where))
    complaints.push_back(fmt::format("{}: where is \"{}\", expected /{}/", expected.name, where, expected.where));
  if (!expected.output.empty() && !matches(step->at("output"), expected.output))
    complaints.push_back(
        fmt::format("{}: output is {}, expected /{}/", expected.name, step->at("output").dump(), expected.output));
  const std::string repeat = step->at("repeat");
  if (repeat.find(expected.name) == std::string::npos || repeat.find("--seed 7") == std::string::npos)
    complaints.push_back(fmt::format("{}: repeat is \"{}\", without the step or the seed", expected.name, repeat));
}

void compare_counts(const Json& check, Complaints& complaints) {
  std::map<std::string, int> counts;
  for (const char* const verdict : {"PASS", "WARN", "FAIL", "CRASH", "EXIT", "HANG", "SKIP"}) counts[verdict] = 0;
  for (const Json& step : check.at("steps")) ++counts[step.at("verdict")];
  if (check.at("summary") != Json(counts))
    complaints.push_back(
        fmt::format("the summary is {}; the steps are {}", check.at("summary").dump(), Json(counts).dump()));
}

}  // namespace

const Json* find_step(const Json& check, const std::string& name) {
  for (const Json& step : check.at("steps"))
    if (step.at("name") == name) return &step;
  return nullptr;
}

Json without_passes(Json check) {
  Json kept = Json::array();
  for (const Json& step : check.at("steps"))
    if (step.at("verdict") != "PASS" && step.at("verdict") != "SKIP") kept.push_back(step);
  check["steps"] = std::move(kept);
  return check;
}

Complaints complaints_about(const Expected& row, const Seen& seen) {
  Complaints complaints;
  const Json& check = seen.json;
  if (check.at("schema") != 1) complaints.push_back("the schema is not 1");
  if (seen.status != row.status) complaints.push_back(fmt::format("exit {}, expected {}", seen.status, row.status));
  if (check.at("verdict") != row.verdict)
    complaints.push_back(
        fmt::format("the whole is {}, expected {}", check.at("verdict").get<std::string>(), row.verdict));
  compare_counts(check, complaints);
  const bool control = row.number.starts_with('G');
  for (const Json& step : check.at("steps")) {
    const std::string name = step.at("name"), verdict = step.at("verdict"), what = step.at("what");
    if (control && verdict != "PASS" && verdict != "SKIP")
      complaints.push_back(fmt::format("this is a control, and {} is {}: {}", name, verdict, what));
    if (control && matches(what, "^not run"))
      complaints.push_back(fmt::format("this is a control, and {} was {}", name, what));
    if (verdict == "SKIP" && what.empty()) complaints.push_back(fmt::format("{}: SKIP without a reason (what)", name));
    if (is_fault(verdict) || verdict == "WARN") demand_all_parts(step, complaints);
  }
  for (const ExpectedStep& expected : row.steps) compare_step(expected, check, complaints);
  return complaints;
}

Complaints complaints_about_text(const Expected& row, const std::string& text) {
  Complaints complaints;
  std::string rest = text;
  for (const std::string& line : row.lines) {
    std::size_t begin = 0;
    bool found = false;
    while (!found && begin < rest.size()) {
      const std::size_t end = std::min(rest.find('\n', begin), rest.size());
      found = matches(rest.substr(begin, end - begin), line);
      begin = end + 1;
    }
    if (!found) complaints.push_back(fmt::format("no line /{}/ where it should be in the text:\n{}", line, text));
    if (found) rest.erase(0, std::min(begin, rest.size()));
  }
  return complaints;
}

std::vector<std::string> words_of_command(const std::string& command) {
  std::vector<std::string> words;
  bool quoted = false, in_word = false;
  for (const char byte : command) {
    if (byte == '\'') {
      quoted = !quoted;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (byte == ' ' && !quoted) {
      in_word = false;
    } else {
      if (!in_word) words.emplace_back();
      in_word = true;
      words.back() += byte;
    }
  }
  return words;
}

}  // namespace tlsrig::tests::kit
