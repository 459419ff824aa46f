// Writing TOML.
#include <tlsrig/report/html/scenario_text.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tlsrig::report::html {
namespace {

// JSON escapes strings as TOML does.
std::string quoted(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string key_text(const std::string& key) {
  constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(bare) == std::string::npos ? key : quoted(key);
}

// A value on one line; tables within lists are inline ones.
std::string value_text(const Json& value) {
  if (!value.is_structured()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  for (const auto& item : value.items()) {
    text += text.empty() ? "" : ", ";
    if (value.is_object()) text += key_text(item.key()) + " = ";
    text += value_text(item.value());
  }
  return value.is_array() ? "[" + text + "]" : "{ " + text + " }";
}

bool is_simple(const Json& table) {
  return std::none_of(table.begin(), table.end(), [](const Json& value) { return value.is_object(); });
}

// What no scenario file may say.
bool is_comment(const std::string& path, const std::string& key, const Json& value) {
  return value.is_null() || (path.empty() && (key == "quick" || key == "filter"));
}

// Nothing of the scenario: keys that --quick has changed stand there with the values in force, and how the run was
// asked for is told only where it was.
bool is_noise(const std::string& path, const std::string& key, const Json& value) {
  if (!path.empty()) return false;
  const bool none = value.is_null() || value == Json(false) || value == Json("") || (value.is_array() && value.empty());
  return key == "changed" || ((key == "quick" || key == "filter") && none);
}

// Plain values first: after a table's heading they would belong to it. Small tables within tables are inline.
void write_table(const Json& table, const std::string& path, std::string& text) {
  for (const auto& item : table.items()) {
    const bool inlined = item.value().is_object() && !path.empty() && is_simple(item.value());
    if ((item.value().is_object() && !inlined) || is_noise(path, item.key(), item.value())) continue;
    text += (is_comment(path, item.key(), item.value()) ? "# " : "") + key_text(item.key()) + " = " +
            value_text(item.value()) + "\n";
  }
  for (const auto& item : table.items()) {
    if (!item.value().is_object() || (!path.empty() && is_simple(item.value()))) continue;
    const std::string inner = (path.empty() ? "" : path + ".") + key_text(item.key());
    text += "\n[" + inner + "]\n";
    write_table(item.value(), inner, text);
  }
}

}  // namespace

std::string scenario_text(const Json& effective) {
  std::string text;
  if (effective.is_object()) write_table(effective, "", text);
  return text;
}

}  // namespace tlsrig::report::html
