// One wording for one thing.
#include <tlsrig/report/words/words.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>

namespace tlsrig::report {
namespace {

// An argument as a shell takes it back.
std::string quoted(const std::string& argument) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!argument.empty() && argument.find_first_not_of(harmless) == std::string::npos) return argument;
  std::string result = "'";
  for (const char byte : argument) result += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return result + "'";
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : std::string(separator)) + parts[i];
  return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string name_of(const BackendRecord& backend) { return backend.variant.value_or(backend.name); }

std::string metric_words(std::string_view name) {
  if (const std::string_view side = side_of(name); !side.empty()) return "CPU per operation, " + side_words(side);
  std::string words(name);
  if (const std::size_t percentile = words.rfind("_p999"); percentile != std::string::npos)
    words.replace(percentile, 5, "_p99.9");
  return with_spaces(words);
}

namespace {

// "roles.server.backend" as "server backend", "relay.read" as "relay read", "traffic.pipeline" as "pipeline".
std::string key_words(const std::string& key) {
  const bool of_role = key.starts_with("roles.");
  if (!of_role && !key.starts_with("relay.")) return with_spaces(key.substr(key.rfind('.') + 1));
  std::string words = key.substr(of_role ? 6 : 0);
  std::replace(words.begin(), words.end(), '.', ' ');
  return with_spaces(words);
}

}  // namespace

std::string cell_words(const Cell& cell) {
  std::vector<std::string> words;
  for (const auto& [key, value] : cell.params) words.push_back(key_words(key) + " " + value);
  return joined(words, ", ");
}

std::string json_words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* find_path(const Json& json, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  if (!json.is_object() || !json.contains(key)) return nullptr;
  return dot == std::string_view::npos ? &json[key] : find_path(json[key], path.substr(dot + 1));
}

std::string settings_words(const Result& result, const Cell& cell) {
  std::vector<std::string> words;
  for (const ScenarioRecord& scenario : result.scenarios) {
    if (scenario.name != cell.scenario || scenario.run != cell.run) continue;
    const Json* arms = find_path(scenario.effective, "arms");
    if (arms != nullptr && arms->is_string() && *arms != "backends") words.push_back("arms by " + json_words(*arms));
    const Json* changed = find_path(scenario.effective, "changed");
    if (changed == nullptr || !changed->is_array()) continue;
    for (const Json& key : *changed) {
      const std::string path = key.is_string() ? key.get<std::string>() : "";
      const bool elsewhere = path.starts_with("measure.") || path == "tls.version" || path == "tls.cipher" ||
                             path == "tls.group" || path == "traffic.connections";
      const Json* value = path.empty() || elsewhere ? nullptr : find_path(scenario.effective, path);
      if (value != nullptr && !value->is_structured()) words.push_back(key_words(path) + " " + json_words(*value));
    }
  }
  return joined(words, ", ");
}

std::string operation_word(const Cell& cell, const Arm& arm) {
  if (cell.workload == "echo" || cell.workload == "stream" || cell.workload == "pipe") return "message";
  if (cell.workload == "connect" || cell.workload == "idle") return "connection";
  const Json* operation = find_path(arm.settings, "engine.operation");
  const std::string name = operation != nullptr && operation->is_string() ? operation->get<std::string>() : "";
  if (name.starts_with("handshake")) return "handshake";
  if (name.find("wrap") != std::string::npos) return "message";
  if (name.ends_with("-new")) return name.substr(0, name.size() - 4) + " pair";
  return "operation";
}

std::string value_words(double value, std::string_view unit) {
  if (unit == "operations/s") return format_rate(value, "op/s");
  return unit == "s" || unit.starts_with("s/") ? format_duration(value) : format_rate(value, unit);
}

std::string value_words(const std::optional<double>& value, std::string_view unit) {
  return value ? value_words(*value, unit) : "";
}

std::string ratio_words(const std::optional<double>& ratio) { return ratio ? format_ratio(*ratio) : ""; }

std::string limit_words(double limit) { return limit < 1 ? format_percent(limit) : factor_words(1 + limit); }

std::string difference_words(double ratio) {
  if (ratio >= 2 || ratio <= 0.5) return factor_words(ratio);
  return fmt::format("{}{}", ratio >= 1 ? "+" : "", format_percent(ratio - 1));
}

std::string factor_words(double ratio) { return format_ratio(ratio) + " x"; }

std::string interval_words(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? format_ratio(*low) + " .. " + format_ratio(*high) : "";
}

std::string interval_words(const Comparison& comparison) { return interval_words(comparison.low, comparison.high); }

std::string valid_utf8(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string status_words(const Arm& arm) {
  std::string words(words_for(arm.status));
  if (arm.reason && !arm.reason->empty()) words += ": " + *arm.reason;
  return words;
}

Tone tone_of(std::string_view verdict) {
  if (verdict == "faster" || verdict == "smaller") return Tone::good;
  if (verdict == "slower" || verdict == "larger") return Tone::bad;
  if (verdict == "likely faster" || verdict == "likely smaller") return Tone::likely_good;
  if (verdict == "likely slower" || verdict == "likely larger") return Tone::likely_bad;
  return verdict == "equivalent" ? Tone::neutral : Tone::open;
}

std::string_view mark_of(std::string_view verdict) {
  switch (tone_of(verdict)) {
    case Tone::good:
      return "▲";
    case Tone::bad:
      return "▼";
    case Tone::likely_good:
      return "△";
    case Tone::likely_bad:
      return "▽";
    case Tone::neutral:
      return "=";
    case Tone::open:
      break;
  }
  return "?";
}

std::string command_text(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + quoted(argument);
  return text;
}

}  // namespace tlsrig::report
