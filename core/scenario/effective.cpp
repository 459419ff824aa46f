// A scenario as it was run.
#include <tlsrig/scenario/effective.hpp>

#include <algorithm>

#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/thresholds.hpp>

namespace tlsrig::scenario {
namespace {

using Json = nlohmann::ordered_json;

void erase_path(Json& json, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto at = json.find(std::string(path.substr(0, dot)));
  if (at == json.end()) {
    return;
  }
  if (dot == std::string_view::npos) {
    json.erase(at);
    return;
  }
  erase_path(*at, path.substr(dot + 1));
  if (at->is_object() && at->empty()) {
    json.erase(at);
  }
}

Json axis_value_json(const Axis& axis, const AxisValue& value) {
  Json json = Json::object();
  for (const Assigned& part : value.parts) {
    if (part.key->path == axis.path || value.parts.size() == 1) {
      return value_json(*part.key, part.value);
    }
    json[std::string(last_part(part.key->path))] = value_json(*part.key, part.value);
  }
  return json;
}

// What the axes leave to say of [tls]: a suite is filled in only when nothing that it depends on is an axis.
void resolve_base(const Draft& draft, TlsSettings& tls) {
  const bool depends = std::any_of(draft.axes.begin(), draft.axes.end(), [](const Axis& axis) {
    return lies_in(axis.path, "tls.version") || lies_in(axis.path, "tls.certificate") || axis.path == "tls.policy";
  });
  if (!depends && tls.policy == Policy::pinned) {
    resolve_cipher(tls);
  }
}

// The keys with another value than their default that are no axis: what a reader has to be told beside the axes.
Json changed_keys(const Settings& settings, const std::vector<Axis>& axes) {
  Settings usual;
  usual.workload = settings.workload;
  Json changed = Json::array();
  for (const Key& key : keys()) {
    if (key.access.get == nullptr || (key.workloads & bit(settings.workload)) == 0) {
      continue;
    }
    const bool is_axis =
        std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return lies_in(key.path, axis.path); });
    if (!is_axis && key.access.get(settings) != key.access.get(usual)) {
      changed.push_back(key.path);
    }
  }
  return changed;
}

}  // namespace

nlohmann::ordered_json effective_json(const EffectiveRequest& request) {
  Json json;
  json["schema"] = 1;
  json["name"] = request.name;
  json["description"] = request.description;
  json["workload"] = workload_name(request.base.workload);
  json["backends"] = request.draft.backends;
  for (const Variant& variant : request.variants) {
    json["variant"][variant.name] = {{"plugin", variant.plugin},
                                     {"library_directory", variant.library_directory.string()}};
  }
  json["arms"] = request.arms;
  json["baseline"] = request.baseline;
  json["quick"] = request.overrides.quick;
  if (request.overrides.filter) {
    json["filter"] = *request.overrides.filter;
  }
  json["changed"] = changed_keys(request.base, request.draft.axes);
  Settings base = request.base;
  resolve_base(request.draft, base.tls);
  json.update(to_json(base));
  json["matrix"] = Json::object();
  for (const Axis& axis : request.draft.axes) {
    Json values = Json::array();
    for (const AxisValue& value : axis.values) {
      values.push_back(axis_value_json(axis, value));
      for (const Assigned& part : value.parts) {
        erase_path(json, part.key->path);
      }
    }
    json["matrix"][axis.path] = std::move(values);
  }
  if (!request.draft.thresholds.empty()) {
    json["thresholds"] = thresholds_json(request.draft);
  }
  return json;
}

}  // namespace tlsrig::scenario
