// What the command line says over a scenario file.
#include <tlsrig/scenario/overrides.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace tlsrig::scenario {
namespace {

void add_fault(Draft& draft, Diagnostics& diagnostics, const std::string& flag, const std::string& key,
               std::string message) {
  diagnostics.add({0, 0, flag}, key, std::move(message));
  draft.faulty.insert(key);
}

// An axis gives way when everything that it sets is set anew; one that sets more would be lost in part.
bool replaces(const std::vector<std::string>& said, const Axis& axis) {
  const auto taken = keys_of(axis);
  return std::all_of(taken.begin(), taken.end(), [&](const std::string& key) {
    return std::any_of(said.begin(), said.end(),
                       [&](const std::string& other) { return exclude_each_other(key, other); });
  });
}

// Drops the axes for which `dropped` holds; gives the place of the first among the others, or the end.
template <class Dropped>
std::size_t drop_axes(Draft& draft, const Dropped& dropped) {
  const auto first = std::find_if(draft.axes.begin(), draft.axes.end(), dropped);
  const auto index = static_cast<std::size_t>(first - draft.axes.begin());
  draft.axes.erase(std::remove_if(first, draft.axes.end(), dropped), draft.axes.end());
  return index;
}

// One value in place of the axes that it replaces.
void settle(const std::string& path, const Raw& value, Collector& collector, Draft& draft, Diagnostics& diagnostics) {
  const auto said = keys_said(path, value);
  drop_axes(draft, [&](const Axis& axis) { return replaces(said, axis); });
  for (const Axis& axis : draft.axes) {
    if (const std::string* key = first_overlap(said, axis)) {
      return add_fault(draft, diagnostics, value.place.flag, path,
                       fmt::format("{} has a list of values in {}, together with other keys; set them all at once, "
                                   "with -s {}={{ ... }}",
                                   *key, axis.path, axis.path));
    }
  }
  collector.assign(path, value.place, value);
}

void apply_setting(const std::string& path, const std::string& text, Collector& collector, Draft& draft,
                   Diagnostics& diagnostics) {
  const std::string flag = fmt::format("-s {}={}", path, text);
  const auto value = read_flag_value(text, flag);
  if (lies_in(path, "variant")) {
    return;  // taken before: its names are those of backends
  }
  if (lies_in(path, "matrix")) {
    add_fault(draft, diagnostics, flag, path, "is set with -P KEY=VALUE,VALUE");
  } else if (path == "schema") {
    add_fault(draft, diagnostics, flag, path, "is the file's own");
  } else if (path.empty() || (find_key(long_form(path)) == nullptr && find_table(path) == nullptr)) {
    add_fault(draft, diagnostics, flag, path, unknown_path_text(path));
  } else if (!value) {
    add_fault(draft, diagnostics, flag, path, fmt::format("{} is no TOML value", text));
  } else {
    settle(path, *value, collector, draft, diagnostics);
  }
}

void apply_axis(const std::string& path, const std::vector<std::string>& texts, Collector& collector, Draft& draft,
                Diagnostics& diagnostics) {
  std::string joined;
  for (const std::string& text : texts) {
    joined += (joined.empty() ? "" : ",") + text;
  }
  const std::string flag = fmt::format("-P {}={}", path, joined);
  Raw list;
  list.kind = Raw::Kind::list;
  list.place.flag = flag;
  for (const std::string& text : texts) {
    const auto value = read_flag_value(text, flag);
    if (!value) {
      return add_fault(draft, diagnostics, flag, path, fmt::format("{} is no TOML value", text));
    }
    list.items.push_back(*value);
  }
  const auto said = keys_said(path, list);
  const std::size_t index = drop_axes(draft, [&](const Axis& axis) {
    return axis.place.flag.empty() && replaces(said, axis);  // another flag's is not to be lost
  });
  const std::size_t before = draft.axes.size();
  collector.add_axis(path, list.place, list);
  if (draft.axes.size() > before) {  // it takes the place of the axis that it replaces
    std::rotate(draft.axes.begin() + static_cast<std::ptrdiff_t>(index), draft.axes.end() - 1, draft.axes.end());
  }
}

Raw flag_word(const std::string& text, const std::string& flag) {
  Raw raw;
  raw.text = text;
  raw.place.flag = flag;
  return raw;
}

}  // namespace

std::optional<Workload> find_workload(const Raw& document, const Overrides& overrides) {
  std::string text;
  if (const Member* member = document.find("workload")) {
    text = member->value.text;
  }
  for (const auto& [path, value] : overrides.settings) {
    if (path == "workload") {
      text = value;
    }
  }
  const auto words = workload_words();
  const auto same = [&](const Word& word) { return word.text == text && word.offered; };
  const auto at = std::find_if(words.begin(), words.end(), same);
  return at == words.end() ? std::nullopt : std::optional(static_cast<Workload>(at - words.begin()));
}

void apply_overrides(const Overrides& overrides, Collector& collector, Draft& draft, Diagnostics& diagnostics) {
  for (const auto& [path, text] : overrides.settings) {
    apply_setting(path, text, collector, draft, diagnostics);
  }
  for (const auto& [path, texts] : overrides.matrix) {
    apply_axis(path, texts, collector, draft, diagnostics);
  }
  if (!overrides.backends.empty()) {
    Raw list;
    list.kind = Raw::Kind::list;
    list.place.flag = "-b";
    for (const std::string& name : overrides.backends) {
      list.items.push_back(flag_word(name, "-b"));
    }
    collector.take_backends(list);
  }
  if (overrides.baseline) {
    collector.assign("baseline", {0, 0, "--baseline"}, flag_word(*overrides.baseline, "--baseline"));
  }
}

}  // namespace tlsrig::scenario
