// The reference of all keys.
#include <tlsrig/scenario/describe.hpp>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/values.hpp>

namespace tlsrig::scenario {
namespace {

std::string default_text(const Key& key) {
  if (!key.default_text.empty()) {
    return std::string(key.default_text);
  }
  return fmt::format("`{}`", value_json(key, key.access.get(Settings{})).dump());
}

std::string not_offered(const Key& key) {
  if (!key.offered) {
    return ". Not offered by this version";
  }
  if (key.zero_only) {
    return fmt::format(". This version offers `\"{}\"` alone", key.zero);
  }
  std::string words;
  for (const Word& word : key.words) {
    words += word.offered ? "" : fmt::format("{}`\"{}\"`", words.empty() ? "" : ", ", word.text);
  }
  return words.empty() ? std::string{} : fmt::format(". Not offered by this version: {}", words);
}

// The table under whose heading a key stands: the first part of its path.
std::string_view heading_of(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string row(const Key& key) {
  return fmt::format("| `{}` | {} | {}{} | {} | `{} = {}` |\n", key.path, default_text(key), allowed_text(key, nullptr),
                     not_offered(key), key.meaning, last_part(key.path), key.example);
}

std::string section(const Table& table) {
  std::string rows;
  for (const Key& key : keys()) {
    rows += heading_of(key.path) == table.path ? row(key) : std::string{};
  }
  const std::string title = table.path.empty() ? "Top of the file" : fmt::format("[{}]", table.path);
  const std::string workloads =
      table.workloads == every_workload ? "" : fmt::format(" For {}.", workloads_text(table.workloads));
  const std::string_view offered = table.offered ? "" : " Not offered by this version.";
  std::string out = fmt::format("### {}\n\n{}.{}{}\n\n", title, table.meaning, workloads, offered);
  if (!rows.empty()) {
    out += "| Key | Default | Allowed | Meaning | Example |\n|---|---|---|---|---|\n" + rows + "\n";
  }
  return out;
}

}  // namespace

std::string key_reference() {
  std::string out;
  for (const Table& table : tables()) {
    if (table_of(table.path).empty()) {
      out += section(table);
    }
  }
  return out;
}

}  // namespace tlsrig::scenario
