// Walking the tree of a scenario file by the table of keys.
#include <tlsrig/scenario/collect.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

}  // namespace

Place Draft::place_of(std::string_view path) const {
  const auto at = keys.find(path);
  return at == keys.end() ? Place{} : at->second.place;
}

std::string Draft::text_of(std::string_view path) const {
  const auto at = keys.find(path);
  return at == keys.end() ? std::string{} : std::get<std::string>(at->second.value);
}

std::string long_form(std::string_view path) {
  if (path == "roles.client" || path == "roles.server") {
    return join(path, "backend");
  }
  return std::string(path);
}

std::vector<std::string> keys_said(std::string_view path, const Raw& raw) {
  std::vector<std::string> out;
  const auto take = [&](std::string_view below, const Raw& value) {
    for (std::string& key : keys_said(below, value)) {
      if (std::find(out.begin(), out.end(), key) == out.end()) {
        out.push_back(std::move(key));
      }
    }
  };
  if (raw.kind == Kind::table && find_table(path) != nullptr) {
    for (const Member& member : raw.members) {
      take(join(path, member.name), member.value);
    }
  } else if (raw.kind == Kind::list && !raw.items.empty()) {
    for (const Raw& item : raw.items) {
      take(path, item);
    }
  } else {
    out.push_back(long_form(path));
  }
  return out;
}

std::vector<std::string> keys_of(const Axis& axis) {
  std::vector<std::string> out;
  for (const AxisValue& value : axis.values) {
    for (const Assigned& part : value.parts) {
      if (std::find(out.begin(), out.end(), part.key->path) == out.end()) {
        out.emplace_back(part.key->path);
      }
    }
  }
  return out;
}

bool exclude_each_other(std::string_view left, std::string_view right) {
  return lies_in(left, right) || lies_in(right, left);
}

const std::string* first_overlap(const std::vector<std::string>& said, const Axis& axis) {
  const auto taken = keys_of(axis);
  const auto at = std::find_if(said.begin(), said.end(), [&](const std::string& key) {
    return std::any_of(taken.begin(), taken.end(),
                       [&](const std::string& other) { return exclude_each_other(key, other); });
  });
  return at == said.end() ? nullptr : &*at;
}

void Collector::fault(const Place& place, std::string_view key, std::string message) {
  diagnostics_.add(place, key, std::move(message));
  draft_.faulty.emplace(key);
}

void Collector::take_document(const Raw& document) { take_table("", document); }

void Collector::take_table(std::string_view table, const Raw& raw) {
  for (const Member& member : raw.members) {
    const std::string path = join(table, member.name);
    if (path == "variant") {
      continue;  // taken before: its names are those of backends
    }
    if (path == "matrix") {
      draft_.matrix_place = member.place;
      if (member.value.kind != Kind::table) {
        fault(member.value.place, path, fmt::format("found {}; needed: a table [matrix]", found_text(member.value)));
      } else {
        take_matrix("", member.value);
      }
    } else if (member.name.empty() || member.name.find('.') != std::string::npos ||
               (find_key(path) == nullptr && find_table(path) == nullptr)) {
      fault(member.place, path, unknown_text(table, member.name));
    } else {
      assign(path, member.place, member.value);
    }
  }
}

// False, after a diagnostic, when nothing in the table can apply.
bool Collector::enter_table(const Table& table, const Place& place) {
  if (draft_.workload && (table.workloads & bit(*draft_.workload)) == 0) {
    fault(place, table.path,
          fmt::format("[{}] belongs to {}; this scenario's workload is {}", table.path, workloads_text(table.workloads),
                      workload_name(*draft_.workload)));
    return false;
  }
  if (!table.offered) {
    fault(place, table.path, fmt::format("[{}] is not offered by this version; leave it out", table.path));
  }
  return true;
}

bool Collector::check_applies(const Key& key, const Place& place) {
  if (!draft_.workload || (key.workloads & bit(*draft_.workload)) != 0) {
    return true;
  }
  fault(place, key.path,
        fmt::format("belongs to {}; this scenario's workload is {}", workloads_text(key.workloads),
                    workload_name(*draft_.workload)));
  return false;
}

void Collector::assign(std::string_view path, const Place& key_place, const Raw& raw) {
  const Table* table = find_table(path);
  draft_.relay = draft_.relay || lies_in(path, "relay");
  if (table != nullptr && (raw.kind == Kind::table || find_key(long_form(path)) == nullptr)) {
    if (!enter_table(*table, key_place)) {
      return;
    }
    if (raw.kind == Kind::table) {
      take_table(path, raw);
    } else {
      fault(raw.place, path, fmt::format("found {}; needed: a table, as in [{}]", found_text(raw), path));
    }
    return;
  }
  const Key& key = *find_key(long_form(path));
  if (!check_applies(key, key_place)) {
    return;
  }
  if (!key.offered && !key_place.flag.empty()) {
    enter_table(*find_table(table_of(key.path)), key_place);  // in a file the table's heading says it once for all keys
  }
  if (key.type == KeyType::backends) {
    take_backends(raw);
  } else if (key.type == KeyType::thresholds) {
    take_thresholds(key, raw);
  } else if (raw.kind == Kind::list && path.starts_with("roles.")) {
    add_axis(path, key_place, raw);
  } else if (const auto assigned = parse(key, key_place, raw)) {
    std::erase_if(draft_.keys, [&](const auto& other) {  // tls.certificate by name and by files exclude each other
      return exclude_each_other(other.first, key.path);
    });
    draft_.keys.emplace(key.path, *assigned);
  }
}

// nullopt after a diagnostic.
std::optional<Assigned> Collector::parse(const Key& key, const Place& key_place, const Raw& raw) {
  const Place& place = raw.kind == Kind::table ? key_place : raw.place;  // a [heading] has no value to point at
  if (raw.kind == Kind::list && key.axis) {
    fault(place, key.path,
          fmt::format("found a list; allowed: {}; for several values write under [matrix]: \"{}\" = [...]",
                      allowed_text(key, &known_), key.path));
    return {};
  }
  Raw given = raw;
  if ((key.path == "arms" || key.path == "baseline") && raw.is_scalar() && raw.kind != Kind::date) {
    given.kind = Kind::string;  // the values of an axis may be numbers
  }
  Parsed parsed = parse_value(key, given, &known_);
  if (!parsed.value) {
    fault(place, key.path, std::move(parsed.fault));
    return {};
  }
  if (key.type == KeyType::file && place.flag.empty()) {
    const std::filesystem::path found = std::get<std::string>(*parsed.value);
    parsed.value = (file_.parent_path() / found).lexically_normal().string();
  }
  return Assigned{&key, *parsed.value, place};
}

void Collector::take_backends(const Raw& raw) {
  const Key& key = *find_key("backends");
  draft_.backends_place = raw.place;
  draft_.backends.clear();
  if (raw.kind != Kind::list || raw.items.empty()) {
    const std::string_view empty = raw.kind == Kind::list ? "; an empty list measures nothing" : "";
    return fault(raw.place, key.path, refusal(key, raw, &known_, empty));
  }
  for (const Raw& item : raw.items) {
    const auto& names = known_.names;
    if (item.kind != Kind::string || std::find(names.begin(), names.end(), item.text) == names.end()) {
      const std::string hint = item.kind == Kind::string ? did_you_mean(item.text, names) : std::string{};
      fault(item.place, key.path, fmt::format("found {}; allowed: {}{}", found_text(item), quoted_list(names), hint));
    } else if (std::find(draft_.backends.begin(), draft_.backends.end(), item.text) != draft_.backends.end()) {
      fault(item.place, key.path, fmt::format("\"{}\" stands twice", item.text));
    } else {
      draft_.backends.push_back(item.text);
    }
  }
}

}  // namespace tlsrig::scenario
