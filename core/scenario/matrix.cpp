// The axes of a scenario: [matrix], lists in [roles], -P.
#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/collect.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

// How a value of an axis is named in a cell id. A table is named by what it holds.
std::string written_text(const Raw& raw) {
  if (raw.kind != Kind::table) {
    return raw.text;
  }
  std::string out;
  for (const Member& member : raw.members) {
    out += (out.empty() ? "" : "+") + written_text(member.value);
  }
  return out;
}

bool same_parts(const AxisValue& left, const AxisValue& right) {
  const auto same = [](const Assigned& a, const Assigned& b) { return a.key == b.key && a.value == b.value; };
  return std::equal(left.parts.begin(), left.parts.end(), right.parts.begin(), right.parts.end(), same);
}

}  // namespace

// `"traffic.message_size" = [...]`, and without the quotes, which TOML reads as tables in tables.
void Collector::take_matrix(std::string_view prefix, const Raw& raw) {
  for (const Member& member : raw.members) {
    const std::string path = join(prefix, member.name);
    if (member.value.kind == Kind::table) {
      take_matrix(path, member.value);
    } else {
      add_axis(path, member.place, member.value);
    }
  }
}

// False after a diagnostic.
bool Collector::check_axis_path(std::string_view path, const Place& place) {
  const Key* key = find_key(long_form(path));
  if (key == nullptr) {
    const bool is_table = find_table(path) != nullptr && !path.empty();
    fault(place, path,
          is_table ? fmt::format("is a table; name one of its keys: {}", quoted_list(names_in(path)))
                   : unknown_path_text(path));
    return false;
  }
  const Table* table = find_table(table_of(path));
  if (key->type == KeyType::backends) {
    fault(place, path, "is no axis: list the backends in `backends`, they are the arms or have cells of their own");
    return false;
  }
  if (!key->axis) {
    fault(place, path, "holds for the whole file and can be no axis");
    return false;
  }
  if (!key->offered && table != nullptr) {
    enter_table(*table, place);
    return false;
  }
  return check_applies(*key, place);
}

void Collector::add_axis(std::string_view path, const Place& key_place, const Raw& list) {
  draft_.relay = draft_.relay || lies_in(path, "relay");
  auto axis = check_axis_path(path, key_place) ? axis_of(path, key_place, list) : std::nullopt;
  if (axis) {
    draft_.axes.push_back(std::move(*axis));
  } else {
    draft_.axes_faulty = true;
  }
}

// nullopt after a diagnostic.
std::optional<Axis> Collector::axis_of(std::string_view path, const Place& key_place, const Raw& list) {
  if (list.kind != Kind::list || list.items.empty()) {
    fault(list.place, path,
          fmt::format("found {}; needed: a list of one value or more, such as [{}]", found_text(list),
                      find_key(long_form(path))->example));
    return {};
  }
  const auto said = keys_said(path, list);
  for (const Axis& other : draft_.axes) {
    if (const std::string* key = first_overlap(said, other)) {
      fault(key_place, path,
            fmt::format("{} would have a list of values twice; the other is that of {}; keep one of them", *key,
                        other.place.flag.empty() ? other.path : other.place.flag));
      return {};
    }
  }
  Axis axis{std::string(path), {}, key_place};
  bool good = true;
  for (const Raw& item : list.items) {
    auto value = axis_value(path, item);
    const auto twice = [&](const AxisValue& v) { return v.text == value->text || same_parts(v, *value); };
    if (!value) {
      good = false;
    } else if (std::any_of(axis.values.begin(), axis.values.end(), twice)) {
      fault(value->place, path, fmt::format("{} stands twice in the list", found_text(item)));
      good = false;
    } else {
      axis.values.push_back(std::move(*value));
    }
  }
  return good ? std::optional(std::move(axis)) : std::nullopt;
}

// nullopt after a diagnostic.
std::optional<AxisValue> Collector::axis_value(std::string_view path, const Raw& raw) {
  AxisValue value{written_text(raw), {}, raw.place};
  if (raw.kind == Kind::list) {
    fault(raw.place, path, "found a list in the list; needed: single values");
    return {};
  }
  if (!axis_parts(path, raw.place, raw, value)) {
    return {};
  }
  return value;
}

bool Collector::axis_parts(std::string_view path, const Place& key_place, const Raw& raw, AxisValue& out) {
  if (raw.kind != Kind::table || find_table(path) == nullptr) {
    const Key& key = *find_key(long_form(path));
    const auto assigned = check_applies(key, key_place) ? parse(key, key_place, raw) : std::nullopt;
    if (assigned) {
      out.parts.push_back(*assigned);
    }
    return assigned.has_value();
  }
  bool good = !raw.members.empty();
  if (!good) {
    fault(raw.place, path, fmt::format("found an empty table; its keys: {}", quoted_list(names_in(path))));
  }
  for (const Member& member : raw.members) {
    const std::string below = join(path, member.name);
    if (find_key(below) == nullptr) {
      fault(member.place, below, unknown_text(path, member.name));
      good = false;
    } else {
      good = axis_parts(below, member.place, member.value, out) && good;
    }
  }
  return good;
}

}  // namespace tlsrig::scenario
