// Settings as JSON and back, by the table of keys.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/scenario/values.hpp>

namespace tlsrig::scenario {
namespace {

using Json = nlohmann::ordered_json;

Json& at_path(Json& json, std::string_view path) {
  const std::size_t dot = path.find('.');
  Json& below = json[std::string(path.substr(0, dot))];
  return dot == std::string_view::npos ? below : at_path(below, path.substr(dot + 1));
}

const Json* find_path(const Json& json, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto at = json.find(std::string(path.substr(0, dot)));
  if (at == json.end()) {
    return nullptr;
  }
  return dot == std::string_view::npos ? &*at : find_path(*at, path.substr(dot + 1));
}

Raw raw_of(const Json& json) {
  Raw raw;
  raw.place.flag = "JSON";
  if (json.is_boolean()) {
    raw.kind = Raw::Kind::boolean;
    raw.boolean = json.get<bool>();
    raw.text = json.dump();
  } else if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    raw.text = json.dump();  // more than a TOML integer holds
  } else if (json.is_number_integer()) {
    raw.kind = Raw::Kind::integer;
    raw.integer = json.get<std::int64_t>();
    raw.text = json.dump();
  } else if (json.is_string()) {
    raw.text = json.get<std::string>();
  } else {
    raw.kind = Raw::Kind::date;  // no kind that any key takes
    raw.text = json.dump();
  }
  return raw;
}

// A text that is left to the library is null.
bool may_be_null(std::string_view path) { return path == "tls.version" || path == "tls.cipher" || path == "tls.group"; }

bool is_certificate(std::string_view path) { return lies_in(path, "tls.certificate"); }

}  // namespace

nlohmann::ordered_json to_json(const Settings& settings) {
  Json json;
  json["workload"] = workload_name(settings.workload);
  for (const Key& key : keys()) {
    if (key.access.get == nullptr || (key.workloads & bit(settings.workload)) == 0 ||
        (lies_in(key.path, "relay") && !settings.relay.present)) {
      continue;
    }
    Json value = value_json(key, key.access.get(settings));
    if (value.is_null() && is_certificate(key.path)) {
      continue;  // by name or by files: the other one is not said
    }
    at_path(json, key.path) = std::move(value);
  }
  return json;
}

Settings settings_from_json(const nlohmann::ordered_json& json) {
  Settings settings;
  const std::string word = json.at("workload").get<std::string>();
  const auto words = workload_words();
  const auto at = std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.text == word; });
  if (at == words.end()) {
    throw std::invalid_argument(fmt::format("settings: workload: \"{}\" is none", word));
  }
  settings.workload = static_cast<Workload>(at - words.begin());
  settings.relay.present = json.contains("relay");
  for (const Key& key : keys()) {
    const Json* value = key.access.set == nullptr ? nullptr : find_path(json, key.path);
    if (value == nullptr || value->is_object()) {
      continue;
    }
    if (value->is_null() && may_be_null(key.path)) {
      key.access.set(settings, std::string{});
      continue;
    }
    const Parsed parsed = parse_value(key, raw_of(*value), nullptr);
    if (!parsed.value) {
      throw std::invalid_argument(fmt::format("settings: {}: {}", key.path, parsed.fault));
    }
    key.access.set(settings, *parsed.value);
  }
  return settings;
}

}  // namespace tlsrig::scenario
