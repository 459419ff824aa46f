// What to say of a key that is not known: where it belongs, or what is near.
#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/collect.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

// Tables that have a key of this name.
std::vector<std::string> tables_with(std::string_view name) {
  std::vector<std::string> out;
  for (const Key& key : keys()) {
    const std::string table(table_of(key.path));
    if (last_part(key.path) == name && std::find(out.begin(), out.end(), table) == out.end()) {
      out.push_back(table);
    }
  }
  return out;
}

std::string belongs_in(const std::vector<std::string>& tables) {
  std::string out;
  for (const std::string& table : tables) {
    out += out.empty() ? "" : " or ";
    out += table.empty() ? "at the top of the file, before the first [table]" : "in [" + table + "]";
  }
  return out;
}

// Last parts of all keys, for a misspelt key in the wrong table.
std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const Key& key : keys()) {
    out.emplace_back(last_part(key.path));
  }
  return out;
}

}  // namespace

std::string unknown_text(std::string_view table, std::string_view name) {
  if (find_key(name) != nullptr && name.find('.') != std::string_view::npos) {
    return fmt::format("unknown key; a quoted dotted key has a meaning in [matrix] alone: write {} in [{}]",
                       last_part(name), table_of(name));
  }
  const auto elsewhere = tables_with(name);
  if (!elsewhere.empty()) {
    return fmt::format("unknown key {}; \"{}\" belongs {}",
                       table.empty() ? "at the top of the file" : fmt::format("in [{}]", table), name,
                       belongs_in(elsewhere));
  }
  const auto here = names_in(table);
  if (const std::string near = did_you_mean(name, here); !near.empty()) {
    return "unknown key" + near;
  }
  if (const std::string near = nearest(name, all_names()); !near.empty()) {
    return fmt::format("unknown key; did you mean \"{}\", which belongs {}?", near, belongs_in(tables_with(near)));
  }
  return fmt::format("unknown key; known here: {}", quoted_list(here));
}

std::string unknown_path_text(std::string_view path) {
  const auto elsewhere = tables_with(last_part(path));
  std::vector<std::string> paths;
  for (const Key& key : keys()) {
    if (elsewhere.empty() || last_part(key.path) == last_part(path)) {
      paths.emplace_back(key.path);
    }
  }
  if (!elsewhere.empty()) {
    return fmt::format("unknown key; did you mean {}?", quoted_list(paths));
  }
  const std::string near = nearest(path, paths);
  if (!near.empty()) {
    return fmt::format("unknown key; did you mean \"{}\"?", near);
  }
  if (const std::string name = nearest(last_part(path), all_names()); !name.empty()) {
    return unknown_path_text(name);
  }
  return "unknown key; keys are dotted paths, such as \"traffic.message_size\"";
}

}  // namespace tlsrig::scenario
