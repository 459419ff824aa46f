// What can be said of a plugin from its file alone: everything that refuses it before code of it runs.
#include <tlsrig/host/plugin_file.hpp>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/needed.hpp>
#include <tlsrig/host/numbers.hpp>

#include "identity.hpp"

namespace tlsrig::host {

namespace {

constexpr std::string_view declare_it =
    "declare it `extern \"C\" TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1`, or use TLSRIG_BACKEND";

// Those that say most first: functions before objects, plain names before those of C++.
std::string some_names(std::vector<ElfSymbol> symbols, std::size_t shown) {
  const auto rank = [](const ElfSymbol& symbol) {
    const bool function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
    return (function ? 0 : 1) + (symbol.name.starts_with("_Z") ? 2 : 0);
  };
  std::ranges::stable_sort(symbols, {}, rank);
  std::string names;
  for (std::size_t i = 0; i < std::min(symbols.size(), shown); ++i)
    names += fmt::format("{}{}", i ? ", " : "", symbols[i].name);
  if (symbols.size() > shown) names += fmt::format(" and {} more", with_commas(symbols.size() - shown));
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
  return fmt::format("exports no entry {}; exported instead: {}. A plugin defines it: {}", entry_name,
                     some_names(exports, 4), declare_it);
}

// The table is a constant object, so its first numbers usually stand in the file: a plugin of another contract is told
// apart before its constructors run. One that fills its table at run time holds zeros, and is judged after loading.
std::string fault_of_object(const ElfFile& file, const ElfSymbol& entry) {
  if (entry.type != STT_OBJECT)
    return fmt::format("{} is not an object but a function or label; needed is a constant table: {}", entry_name,
                       declare_it);
  const auto version = file.number_at(entry.value), size = file.number_at(entry.value + sizeof(std::uint32_t));
  const bool told = version && size && (*version != 0 || *size != 0);
  if (told && *version != TLSRIG_ABI_VERSION) return fault_of_numbers(*version, *size) + "; nothing of it ran";
  if (entry.size < sizeof(tlsrig_backend))
    return fmt::format("{} has {} bytes, a table of plugin ABI {} has {}: rebuild it with this tlsrig's header",
                       entry_name, entry.size, TLSRIG_ABI_VERSION, sizeof(tlsrig_backend));
  if (!told) return {};
  const std::string fault = fault_of_numbers(*version, *size);
  return fault.empty() ? "" : fault + "; nothing of it ran";
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

ElfFile read_library(const std::filesystem::path& plugin) {
  ElfFile file(plugin);
  if (file.is_program()) throw ElfError("is a program; a plugin is a shared library: link it with -shared");
  return file;
}

std::string fault_of_entry(const ElfFile& file) {
  const auto entry = file.find_export(entry_name);
  return entry ? fault_of_object(file, *entry) : explain_missing_entry(file);
}

ElfFile examine(const std::filesystem::path& plugin) {
  try {
    ElfFile file = read_library(plugin);
    if (const std::string fault = fault_of_entry(file); !fault.empty()) throw ElfError(fault);
    return file;
  } catch (const ElfError& error) {
    throw Refusal(fmt::format("{}: {}", plugin.string(), error.what()));
  }
}

bool is_meant_as_plugin(const std::filesystem::path& path) {
  try {
    const ElfFile file(path);
    for (const std::vector<ElfSymbol>& symbols : {file.exports(), file.debug_symbols()})
      for (const ElfSymbol& symbol : symbols)
        if (symbol.defined && symbol.name.find("tlsrig_backend_v") != std::string_view::npos) return true;
  } catch (const ElfError&) {  // a plugin for another machine cannot be told from its libraries
  }
  return false;
}

std::string explain_exports(const ElfFile& file) {
  std::vector<ElfSymbol> others = file.exports();
  std::erase_if(others, [](const ElfSymbol& symbol) { return symbol.name == entry_name; });
  if (others.empty()) return {};
  const bool one = others.size() == 1;
  return fmt::format(
      "the plugin exports {} symbol{} besides {} ({}), which others may bind to: link it with a version script, or "
      "with -Wl,--exclude-libs,ALL",
      with_commas(others.size()), one ? "" : "s", entry_name, some_names(others, 3));
}

std::string describe(const ElfFile& file) {
  return fmt::format("ELF {}-bit {} shared object, {} KiB, {}", sizeof(void*) * 8, native_machine_name(),
                     with_commas((file.size() + 1023) / 1024),
                     file.build_id().empty() ? "without build-id" : "build-id " + file.build_id());
}

std::string explain_undefined(std::string_view names, std::string_view holder, const ElfFile& file,
                              const std::filesystem::path& plugin) {
  const std::string_view sanitizers[] = {"__asan_", "__tsan_", "__ubsan_", "__msan_", "__sanitizer_"};
  const bool sanitized = std::ranges::any_of(sanitizers, [&](std::string_view one) { return names.starts_with(one); });
  return fmt::format(
      "undefined symbol{} {} (needed by {}): {}; `ldd -r {}` shows it{}",
      names.find(',') == std::string_view::npos ? "" : "s", names, holder,
      sanitized ? "it is built with a sanitizer, and this tlsrig is not: use a tlsrig built with the same one"
                : "link the plugin with the library that has it, or another version of that library is in its place",
      plugin.string(), taken_by_library_path(file));
}

std::string searched_places(const ElfFile& file) {
  const char* const variable = std::getenv("LD_LIBRARY_PATH");
  const auto or_none = [](std::string_view text) { return text.empty() ? std::string_view("not set") : text; };
  std::string places;
  if (!file.rpath().empty() && file.runpath().empty()) places += fmt::format("RPATH ({}), ", file.rpath());
  return places + fmt::format("LD_LIBRARY_PATH ({}), RUNPATH ({}), the loader's cache, the system's directories",
                              or_none(variable ? variable : ""), or_none(file.runpath()));
}

std::string explain_load_failure(const ElfFile& file, const std::filesystem::path& plugin, std::string_view dlerror) {
  std::string_view name, holder;
  if (take_between(dlerror, "", ": cannot open shared object file", name)) {
    NeededLibrary missing{std::string(name),    plugin, true, NeededLibrary::State::missing, {}, {},
                          searched_places(file)};
    for (NeededLibrary& library : find_needed(file, plugin))
      if (library.name == name && library.state == NeededLibrary::State::missing) missing = std::move(library);
    return fmt::format("{}: {}", plugin.string(), explain(missing, plugin));
  }
  if (take_between(dlerror, "undefined symbol: ", "", name)) {
    name = name.substr(0, name.find_first_of(" ,\n\t"));
    take_between(dlerror, "", ": ", holder);
    return fmt::format("{}: {}", plugin.string(), explain_undefined(name, holder, file, plugin));
  }
  return fmt::format(
      "{}: cannot be loaded: {}; build it again on this machine, or put the library back that it needs{}",
      plugin.string(), dlerror, taken_by_library_path(file));
}

}  // namespace tlsrig::host
