// What is judged of a plugin from its files alone. The words are those with which the host refuses it.
#include <tlsrig/check/steps/static_steps.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/host/elf.hpp>
#include <tlsrig/host/needed.hpp>
#include <tlsrig/host/plugin_file.hpp>

namespace tlsrig::check {

namespace {

namespace fs = std::filesystem;
using host::ElfFile;
using host::NeededLibrary;

// A plugin whose file could be read.
struct Plugin {
  fs::path path;
  ElfFile file;
};

template <auto Body>
Outcome judged_file(const fs::path& path) {
  return outcome_of_body([&] {
    const ElfFile file = [&] {
      try {
        return host::read_library(path);
      } catch (const host::ElfError&) {
        throw Skipped("the file is no library that can be read");
      }
    }();
    return Body(Plugin{path, file});
  });
}

Outcome file_step(const fs::path& path) {
  return outcome_of_body([&] { return host::describe(host::read_library(path)); });
}

std::string entry(const Plugin& plugin) {
  if (const std::string fault = host::fault_of_entry(plugin.file); !fault.empty()) fail("{}", fault);
  const auto symbol = plugin.file.find_export(host::entry_name);
  const auto version = plugin.file.number_at(symbol->value);
  return fmt::format("{}, an object of {} bytes, {}", host::entry_name, symbol->size,
                     version && *version ? fmt::format("plugin ABI {}", *version) : "filled when it is loaded");
}

std::string exports(const Plugin& plugin) {
  if (const std::string words = host::explain_exports(plugin.file); !words.empty()) warn("{}", words);
  return plugin.file.find_export(host::entry_name) ? fmt::format("{} alone", host::entry_name) : "nothing";
}

bool is_trouble(const NeededLibrary& library) {
  return library.state == NeededLibrary::State::missing || library.state == NeededLibrary::State::unfit;
}

std::string found_words(const NeededLibrary& library, const fs::path& plugin) {
  if (library.state == NeededLibrary::State::in_program) return fmt::format("{} (the program's own)", library.name);
  if (library.state == NeededLibrary::State::undecided) return host::explain(library, plugin);
  return fmt::format("{} ({}, by {})", library.name, library.path.string(), library.place);
}

std::string needs(const Plugin& plugin) {
  const std::vector<NeededLibrary> libraries = host::find_needed(plugin.file, plugin.path);
  std::string troubles, found;
  const auto add = [](std::string& list, const std::string& words) { list += (list.empty() ? "" : "; ") + words; };
  for (const NeededLibrary& library : libraries) {
    if (is_trouble(library))
      add(troubles, host::explain(library, plugin.path));
    else if (library.direct || library.state == NeededLibrary::State::undecided)
      add(found, found_words(library, plugin.path));
  }
  if (!troubles.empty()) fail("{}", troubles);
  return found.empty() ? "no library" : found;
}

// "a, b, c, d and 2 more", of which `room` may still be named.
std::string some_of(const std::vector<std::string>& names, std::size_t& room) {
  std::string text;
  const std::size_t shown = std::min(names.size(), std::max<std::size_t>(room, 1));
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + names[i];
  room -= std::min(room, shown);
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string undefined_symbols(const Plugin& plugin) {
  const std::vector<NeededLibrary> libraries = host::find_needed(plugin.file, plugin.path);
  for (const NeededLibrary& library : libraries)
    if (is_trouble(library) || library.state == NeededLibrary::State::undecided)
      skip("{} may define what is missing, and {}", library.name,
           is_trouble(library) ? "cannot be loaded" : "whether it is found cannot be told");
  std::size_t room = 4;
  std::string words;
  for (const host::UndefinedSymbols& undefined : host::find_undefined(plugin.file, plugin.path, libraries))
    words += (words.empty() ? "" : "; ") +
             host::explain_undefined(some_of(undefined.names, room), undefined.file.string(), plugin.file, plugin.path);
  if (!words.empty()) fail("{}", words);
  return "none";
}

// The run-time of a sanitizer must be in the program: brought along by a plugin, it ends the process.
std::string stray_sanitizer(const Plugin& plugin) {
  constexpr std::pair<std::string_view, const char*> runtimes[] = {{"libasan.so", "__asan_init"},
                                                                   {"libtsan.so", "__tsan_init"}};
  for (const NeededLibrary& library : host::find_needed(plugin.file, plugin.path))
    for (const auto& [name, function] : runtimes)
      if (library.name.starts_with(name) && !::dlsym(RTLD_DEFAULT, function))
        return fmt::format(
            "it needs {}, a sanitizer's, which this tlsrig is not built with: loading it ends the process; "
            "use a tlsrig built with the same sanitizer",
            library.name);
  return {};
}

// One that is looked up from wherever the program runs. An empty one at the end, which is such a one too, is let pass:
// CMake leaves it in a build tree.
std::string relative_directory(std::string_view list) {
  while (!list.empty()) {
    const std::string_view directory = list.substr(0, list.find(':'));
    list.remove_prefix(std::min(list.size(), directory.size() + 1));
    if (!directory.starts_with('/') && !directory.starts_with('$')) return std::string(directory);
  }
  return {};
}

std::string linking(const Plugin& plugin) {
  const ElfFile& file = plugin.file;
  std::vector<std::string> faults;
  if (!file.rpath().empty() && file.runpath().empty())
    faults.push_back(
        fmt::format("it has DT_RPATH ({}), which goes before LD_LIBRARY_PATH: a variant cannot put another "
                    "build of the library in its place; link with -Wl,--enable-new-dtags",
                    file.rpath()));
  const std::string_view path = file.runpath().empty() ? file.rpath() : file.runpath();
  if (const std::string relative = relative_directory(path); !relative.empty())
    faults.push_back(
        fmt::format("its RUNPATH has \"{}\", which is looked up from wherever tlsrig runs; give an absolute "
                    "path, or one below $ORIGIN",
                    relative));
  if (file.executable_stack())
    faults.push_back("it asks for an executable stack, for every thread of the process; link with -Wl,-z,noexecstack");
  if (file.text_relocations())
    faults.push_back(
        "its code is changed while it is loaded (DT_TEXTREL), which hardened systems refuse; compile all of "
        "it with -fPIC");
  if (std::string words = stray_sanitizer(plugin); !words.empty()) faults.push_back(std::move(words));
  std::string all;
  for (const std::string& fault : faults) all += (all.empty() ? "" : "; ") + fault;
  if (!all.empty()) warn("{}", all);
  return path.empty() ? "no RUNPATH" : fmt::format("RUNPATH {}", path);
}

}  // namespace

const std::vector<FileStep>& file_steps() {
  static const std::vector<FileStep> all{
      {"file", "a backend is one file: a shared library for the machine that tlsrig is built for", file_step,
       "build it here as a shared library (cc -shared -fPIC, or tlsrig_add_backend) and name that file", true},
      {"entry",
       "a backend exports one constant object with C linkage, tlsrig_backend_v1: the table, which begins with the "
       "number "
       "of its plugin ABI and its size",
       judged_file<entry>,
       "build it with this tlsrig's header; in C++ write TLSRIG_BACKEND(Context, Session), in C define `const "
       "tlsrig_backend tlsrig_backend_v1 = {TLSRIG_ABI_VERSION, sizeof(tlsrig_backend), start, ...};`",
       true},
      {"exports",
       "a backend exports its entry and nothing else: several TLS libraries with the same names share one process",
       judged_file<exports>,
       "link with a version script (exports.version of the SDK) or -Wl,--exclude-libs,ALL; tlsrig_add_backend does it",
       false},
      {"needs",
       "every library that a backend needs is found where the loader looks: RPATH, LD_LIBRARY_PATH, RUNPATH, the "
       "loader's cache, the system's directories",
       judged_file<needs>,
       "install the library, or put its directory into the plugin's RUNPATH: RPATH DIR of tlsrig_add_backend, or "
       "-Wl,-rpath,DIR",
       true},
      {"undefined-symbols",
       "a backend and its libraries define all that they use, beside the C library: all symbols are bound when it is "
       "loaded",
       judged_file<undefined_symbols>,
       "link the library that has the symbol (LINKS of tlsrig_add_backend); -Wl,-z,defs makes the linker find it",
       true},
      {"linking",
       "a backend leaves the process and the search for its library as they are: RUNPATH and not RPATH, no executable "
       "stack, no text relocations",
       judged_file<linking>,
       "link with -Wl,--enable-new-dtags, as tlsrig_add_backend does, and with -Wl,-z,noexecstack; compile with -fPIC",
       false}};
  return all;
}

}  // namespace tlsrig::check
