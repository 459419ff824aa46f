// Field by field through what two results record of their circumstances.
#include <tlsrig/judge/comparable.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::judge {
namespace {

using report::Json;

std::string spelled(const Json& value) {
  return value.is_null() ? "(not told)" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json member(const Json& object, std::string_view key) {
  const Json* found = report::find_path(object, key);
  return found == nullptr ? Json(nullptr) : *found;
}

std::string differs(std::string_view what, const Json& before, const Json& after) {
  return fmt::format("{}: {} in OLD, {} in NEW", what, spelled(before), spelled(after));
}

template <std::size_t size>
void compare_members(const Json& before, const Json& after, const std::array<const char*, size>& keys,
                     const std::string& prefix, std::vector<std::string>& found) {
  for (const char* key : keys) {
    const Json old_value = member(before, key), new_value = member(after, key);
    if (old_value != new_value) found.push_back(differs(prefix + key, old_value, new_value));
  }
}

// The values of a table of settings by their dotted paths; a list counts as one value.
void flatten(const Json& settings, const std::string& prefix, std::map<std::string, Json>& values) {
  for (const auto& [key, value] : settings.items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    // How it was measured is not what was measured; what the kernel made of socket options is the machine's matter.
    if (path == "measure" || path == "socket.in_force") continue;
    if (value.is_object())
      flatten(value, path, values);
    else
      values[path] = value;
  }
}

// A version that did not know a key has measured what is its default now.
void add_defaults(const Json& settings, std::map<std::string, Json>& values) {
  std::map<std::string, Json> all;
  try {
    flatten(scenario::to_json(scenario::settings_from_json(settings)), "", all);
  } catch (const std::exception&) {  // no settings that this version can read: what they say is all there is
    return;
  }
  values.merge(all);  // keeps what was said
}

std::map<std::string, Json> flat(const Json& settings) {
  std::map<std::string, Json> values;
  if (!settings.is_object()) return values;
  flatten(settings, "", values);
  add_defaults(settings, values);
  return values;
}

void compare_settings(const report::Cell& cell, const report::Arm& before, const report::Arm& after,
                      std::set<std::string>& told, std::vector<std::string>& found) {
  const auto old_values = flat(before.settings), new_values = flat(after.settings);
  std::set<std::string> paths;
  for (const auto& [path, value] : old_values) paths.insert(path);
  for (const auto& [path, value] : new_values) paths.insert(path);
  for (const auto& path : paths) {
    const auto value_of = [&](const auto& values) {
      const auto entry = values.find(path);
      return entry == values.end() ? Json(nullptr) : entry->second;
    };
    const Json old_value = value_of(old_values), new_value = value_of(new_values);
    if (old_value == new_value) continue;
    const std::string difference = differs(path, old_value, new_value);
    if (told.insert(difference).second) found.push_back(fmt::format("{} ({}, arm {})", difference, cell.id, after.id));
  }
}

void find_missing(const report::Result& from, const report::Result& in, const char* name,
                  std::vector<std::string>& found) {
  for (const auto& cell : from.cells) {
    const report::Cell* other = report::find_cell(in, cell.id);
    if (!other) {
      found.push_back(fmt::format("the cell {} is in {} alone", cell.id, name));
      continue;
    }
    for (const auto& arm : cell.arms)
      if (!arm.twin && !report::find_arm(*other, arm.id))
        found.push_back(fmt::format("the arm {} of {} is in {} alone", arm.id, cell.id, name));
  }
}

}  // namespace

Differences differences(const report::Result& old_result, const report::Result& new_result) {
  Differences found;
  constexpr std::array<const char*, 4> identity{"processor", "processors", "processor_flags", "architecture"};
  constexpr std::array<const char*, 5> surroundings{"kernel", "c_library", "clock_source", "memory",
                                                    "congestion_control_default"};
  compare_members(old_result.machine, new_result.machine, identity, "", found.machine);
  compare_members(old_result.machine, new_result.machine, surroundings, "", found.minor);
  if (old_result.version != new_result.version)
    found.minor.push_back(differs("tlsrig", old_result.version, new_result.version));

  find_missing(old_result, new_result, "OLD", found.scenario);
  find_missing(new_result, old_result, "NEW", found.scenario);
  std::set<std::string> told, told_minor;
  for (const auto& cell : new_result.cells) {
    const report::Cell* before = report::find_cell(old_result, cell.id);
    if (!before) continue;
    for (const auto& arm : cell.arms) {
      const report::Arm* old_arm = report::find_arm(*before, arm.id);
      if (!old_arm) continue;
      compare_settings(cell, *old_arm, arm, told, found.scenario);
      std::vector<std::string> lengths;
      constexpr std::array<const char*, 3> keys{"warmup", "block", "slice"};
      compare_members(member(old_arm->settings, "measure"), member(arm.settings, "measure"), keys, "measure.", lengths);
      for (const auto& length : lengths)
        if (told_minor.insert(length).second) found.minor.push_back(length);
    }
  }
  return found;
}

}  // namespace tlsrig::judge
