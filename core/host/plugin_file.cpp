// What can be said of a plugin from its file alone: everything that refuses it before code of it runs.
#include <tlsrig/host/plugin_file.hpp>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

namespace {

constexpr std::string_view declare_it =
    "declare it `extern \"C\" TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1`, or use TLSRIG_BACKEND";

std::string some_names(const std::vector<ElfSymbol>& symbols) {
  constexpr std::size_t shown = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(symbols.size(), shown); ++i)
    names += fmt::format("{}{}", i ? ", " : "", symbols[i].name);
  if (symbols.size() > shown) names += fmt::format(" and {} more", symbols.size() - shown);
  return names.empty() ? "nothing" : names;
}

// Why there is no entry: another contract's, a C++ name, a hidden one, or none at all.
std::string explain_missing_entry(const ElfFile& file) {
  const std::vector<ElfSymbol> exports = file.exports();
  for (const ElfSymbol& symbol : exports)
    if (symbol.name.starts_with("tlsrig_backend_v"))
      return fmt::format("offers {}, this tlsrig needs {}: rebuild the plugin with this tlsrig's header", symbol.name,
                         entry_name);
  for (const std::vector<ElfSymbol>& symbols : {exports, file.debug_symbols()})
    for (const ElfSymbol& symbol : symbols) {
      if (!symbol.defined || symbol.name.find(entry_name) == std::string_view::npos) continue;
      if (symbol.name.starts_with("_Z"))
        return fmt::format("has {} without C linkage (found {}): {}", entry_name, symbol.name, declare_it);
      if (symbol.name == entry_name)
        return fmt::format("has {} but does not export it: {}, and keep it in the version script", entry_name,
                           declare_it);
    }
  return fmt::format("has no entry {}; it exports {}. A plugin defines it: {}", entry_name, some_names(exports),
                     declare_it);
}

// The table is a constant object, so its first numbers usually stand in the file: a plugin of another contract is told
// apart before its constructors run. A plugin that fills its table at run time is judged after loading.
void refuse_other_contract(const ElfFile& file, const ElfSymbol& entry, const std::filesystem::path& plugin) {
  if (entry.type != STT_OBJECT)
    throw Refusal(fmt::format("{}: {} is not an object but a function or label; needed is a constant table: {}",
                              plugin.string(), entry_name, declare_it));
  const auto version = file.number_at(entry.value);
  if (version && *version != 0 && *version != TLSRIG_ABI_VERSION)
    throw Refusal(fmt::format(
        "{}: built for plugin ABI {}, this tlsrig speaks {}: rebuild it with this tlsrig's header; nothing of it ran",
        plugin.string(), *version, TLSRIG_ABI_VERSION));
  if (entry.size < sizeof(tlsrig_backend))
    throw Refusal(
        fmt::format("{}: {} has {} bytes, a table of plugin ABI {} has {}: rebuild it with this tlsrig's header",
                    plugin.string(), entry_name, entry.size, TLSRIG_ABI_VERSION, sizeof(tlsrig_backend)));
}

bool take_between(std::string_view text, std::string_view before, std::string_view after, std::string_view& found) {
  const std::size_t begin = before.empty() ? 0 : text.find(before);
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin + before.size());
  const std::size_t end = after.empty() ? text.size() : text.find(after);
  if (end == std::string_view::npos) return false;
  found = text.substr(0, end);
  return true;
}

// Files that LD_LIBRARY_PATH puts before the system's own, for messages: one of them may be the wrong one.
std::string taken_by_library_path(const ElfFile& file) {
  const char* const variable = std::getenv("LD_LIBRARY_PATH");
  std::string_view left(variable ? variable : "");
  std::string taken;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find_first_of(":;"), left.size());
    const std::filesystem::path directory(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    std::error_code failed;
    for (const std::string_view name : file.needed())
      if (!directory.empty() && std::filesystem::exists(directory / name, failed))
        taken += fmt::format("{}{}", taken.empty() ? "" : ", ", (directory / name).string());
  }
  return taken.empty() ? "" : fmt::format("; LD_LIBRARY_PATH puts {} in the library's place", taken);
}

}  // namespace

ElfFile examine(const std::filesystem::path& plugin) {
  try {
    ElfFile file(plugin);
    if (file.is_program()) throw ElfError("is a program; a plugin is a shared library: link it with -shared");
    const auto entry = file.find_export(entry_name);
    if (!entry) throw ElfError(explain_missing_entry(file));
    refuse_other_contract(file, *entry, plugin);
    return file;
  } catch (const ElfError& error) {
    throw Refusal(fmt::format("{}: {}", plugin.string(), error.what()));
  }
}

std::string searched_places(const ElfFile& file) {
  const char* const variable = std::getenv("LD_LIBRARY_PATH");
  const auto or_none = [](std::string_view text) { return text.empty() ? std::string_view("not set") : text; };
  std::string places;
  if (!file.rpath().empty() && file.runpath().empty()) places += fmt::format("RPATH ({}), ", file.rpath());
  return places + fmt::format("LD_LIBRARY_PATH ({}), RUNPATH ({}), the system's default directories",
                              or_none(variable ? variable : ""), or_none(file.runpath()));
}

std::string explain_load_failure(const ElfFile& file, const std::filesystem::path& plugin, std::string_view dlerror) {
  std::string_view name, holder;
  if (take_between(dlerror, "", ": cannot open shared object file", name)) {
    const bool direct = std::ranges::find(file.needed(), name) != file.needed().end();
    return fmt::format(
        "{}: needs {}{}, which was not found in {}: install the package that has it, or name its directory in "
        "LD_LIBRARY_PATH",
        plugin.string(), name, direct ? "" : " (through another library)", searched_places(file));
  }
  if (take_between(dlerror, "undefined symbol: ", "", name)) {
    name = name.substr(0, name.find_first_of(" ,\n\t"));
    take_between(dlerror, "", ": ", holder);
    return fmt::format(
        "{}: undefined symbol {} (needed by {}): link the plugin with the library that has it, or another version of "
        "that library is in its place; `ldd -r {}` shows it{}",
        plugin.string(), name, holder, plugin.string(), taken_by_library_path(file));
  }
  return fmt::format(
      "{}: cannot be loaded: {}; build it again on this machine, or put the library back that it needs{}",
      plugin.string(), dlerror, taken_by_library_path(file));
}

}  // namespace tlsrig::host
