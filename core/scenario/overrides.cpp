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

// Drops the axes that set what `path` sets; gives the place of the first among the others, or the end.
std::size_t drop_axes(Draft& draft, std::string_view path) {
  const auto overlaps = [&](const Axis& axis) { return lies_in(path, axis.path) || lies_in(axis.path, path); };
  const auto first = std::find_if(draft.axes.begin(), draft.axes.end(), overlaps);
  const auto index = static_cast<std::size_t>(first - draft.axes.begin());
  draft.axes.erase(std::remove_if(draft.axes.begin(), draft.axes.end(), overlaps), draft.axes.end());
  return index;
}

void apply_setting(const std::string& path, const std::string& text, Collector& collector, Draft& draft,
                   Diagnostics& diagnostics) {
  const std::string flag = fmt::format("-s {}={}", path, text);
  const auto value = read_flag_value(text, flag);
  if (lies_in(path, "matrix")) {
    add_fault(draft, diagnostics, flag, path, "is set with -P KEY=VALUE,VALUE");
  } else if (path == "schema") {
    add_fault(draft, diagnostics, flag, path, "is the file's own");
  } else if (path.empty() || (find_key(long_form(path)) == nullptr && find_table(path) == nullptr)) {
    add_fault(draft, diagnostics, flag, path, unknown_path_text(path));
  } else if (!value) {
    add_fault(draft, diagnostics, flag, path, fmt::format("{} is no TOML value", text));
  } else {
    drop_axes(draft, path);
    collector.assign(path, {0, 0, flag}, *value);
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
  const std::size_t index = drop_axes(draft, path);
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
