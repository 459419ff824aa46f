// The loader's search, followed with files alone: ld.so(8), "DT_RPATH ... LD_LIBRARY_PATH ... DT_RUNPATH ... cache ...
// default path".
#include <tlsrig/host/needed.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <tlsrig/host/loaded_files.hpp>
#include <tlsrig/host/loader_cache.hpp>
#include <tlsrig/host/plugin_file.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;
using State = NeededLibrary::State;

// A file whose needs are followed; `loader`: that which needs it.
struct Object {
  ElfFile file;
  fs::path path;
  const Object* loader = nullptr;
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// $ORIGIN is followed. What $LIB and $PLATFORM stand for, only the loader knows.
std::string expanded(std::string_view text, const fs::path& holder) {
  std::string path(text);
  std::error_code failed;
  const fs::path real = fs::canonical(holder, failed);
  const std::string origin = (failed ? holder : real).parent_path().string();
  replace_all(path, "${ORIGIN}", origin);
  replace_all(path, "$ORIGIN", origin);
  return path;
}

// Those of a list, if there is one. An empty one in it, even at its end, is the directory in which the program runs.
std::vector<fs::path> directories_of(std::string_view list, std::string_view separators, const fs::path& holder) {
  std::vector<fs::path> directories;
  for (bool more = !list.empty(); more;) {
    const std::size_t end = list.find_first_of(separators);
    const std::string directory = expanded(list.substr(0, end), holder);
    directories.push_back(fs::path(directory.empty() ? "." : directory).lexically_normal());
    more = end != std::string_view::npos;
    if (more) list.remove_prefix(end + 1);
  }
  return directories;
}

std::vector<fs::path> directories_in_file(std::string_view list, const fs::path& holder) {
  return directories_of(list, ":", holder);
}

// Of LD_LIBRARY_PATH, where $ORIGIN is the program's.
std::vector<fs::path> directories_in_variable(std::string_view list) {
  return directories_of(list, ":;", "/proc/self/exe");
}

// As it was when the process began, which is what its loader goes by.
std::string first_library_path() {
  std::ifstream environment("/proc/self/environ", std::ios::binary);
  constexpr std::string_view name = "LD_LIBRARY_PATH=";
  for (std::string variable; std::getline(environment, variable, '\0');)
    if (variable.starts_with(name)) return variable.substr(name.size());
  return {};
}

// Where the loader looks when all else has failed: distributions build their own list into it, so it is asked. It tells
// the places that go before, of the program, in the same list.
std::vector<fs::path> default_directories(const ElfFile* program) {
  std::vector<fs::path> directories;
  void* const handle = ::dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (!handle || ::dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) != 0) return directories;
  const std::unique_ptr<void, void (*)(void*)> memory(std::malloc(size.dls_size), std::free);
  auto* const list = static_cast<Dl_serinfo*>(memory.get());
  if (!list || ::dlinfo(handle, RTLD_DI_SERINFOSIZE, list) != 0 || ::dlinfo(handle, RTLD_DI_SERINFO, list) != 0)
    return directories;
  std::vector<fs::path> before = directories_in_variable(first_library_path());
  if (program)
    for (const std::string_view path : {program->rpath(), program->runpath()})
      for (fs::path& directory : directories_in_file(path, "/proc/self/exe")) before.push_back(std::move(directory));
  const Dl_serpath* const paths = list->dls_serpath;
  for (unsigned i = 0; i < list->dls_cnt; ++i) {
    fs::path directory = fs::path(paths[i].dls_name).lexically_normal();
    if (std::ranges::find(before, directory) == before.end()) directories.push_back(std::move(directory));
  }
  return directories;
}

// The files that one search for one library looks at, until one decides.
class LibrarySearch {
 public:
  LibrarySearch(NeededLibrary& library, const LoaderCache& cache) : library_(library), cache_(cache) {}

  void run(const Object& user, const ElfFile* program, const std::vector<fs::path>& defaults) {
    if (library_.name.find('/') != std::string::npos) return look_at_path(user);
    if (user.file.runpath().empty())
      for (const Object* object = &user; object && !decided_; object = object->loader)
        if (object->file.runpath().empty()) look_in(directories_in_file(object->file.rpath(), object->path), "RPATH");
    if (program && user.file.runpath().empty() && program->runpath().empty())
      look_in(directories_in_file(program->rpath(), "/proc/self/exe"), "the program's RPATH");
    const char* const variable = std::getenv("LD_LIBRARY_PATH");
    look_in(directories_in_variable(variable ? variable : ""), "LD_LIBRARY_PATH");
    look_in(directories_in_file(user.file.runpath(), user.path), "RUNPATH");
    const bool no_defaults = user.file.no_default_directories();
    for (const fs::path& file : cache_.files_of(library_.name))
      if (!no_defaults || std::ranges::find(defaults, file.parent_path()) == defaults.end())
        look_at(file, "the loader's cache");
    for (const fs::path& directory : defaults)
      if (!no_defaults) look_at(directory / library_.name, "the system's directories");
    if (!cache_.understood()) doubt("/etc/ld.so.cache has a form that is not known here");
    if (defaults.empty()) doubt("the loader does not tell its own directories");
    finish(searched_places(user.file));
  }

 private:
  void look_at_path(const Object& user) {
    const std::string path = expanded(library_.name, user.path);
    if (path.find('$') != std::string::npos)
      doubt("its path has a variable that only the loader knows");
    else
      look_at(path, "its own path");
    finish("that place alone, since its name is a path");
  }

  void look_in(const std::vector<fs::path>& directories, std::string_view place) {
    for (const fs::path& directory : directories) {
      if (directory.string().find('$') != std::string::npos)
        doubt(fmt::format("{} has {}, which only the loader can follow", place, directory.string()));
      else
        look_at(directory / library_.name, place);
    }
  }

  void look_at(const fs::path& file, std::string_view place) {
    std::error_code failed;
    if (decided_) return;
    if (!fs::exists(file, failed)) return look_for_richer(file, place);
    try {
      const ElfFile elf(file);
      library_.state = State::found;
      library_.place = place;
    } catch (const OtherMachine&) {
      return;  // as the loader does
    } catch (const ElfError& error) {
      library_.state = State::unfit;
      library_.words = error.what();
    }
    library_.path = file;
    decided_ = true;
  }

  // Builds for processors with more instructions lie below; which of them this one takes, the loader knows.
  void look_for_richer(const fs::path& file, std::string_view place) {
    std::error_code failed;
    const fs::path richer = file.parent_path() / "glibc-hwcaps";
    for (fs::directory_iterator entry(richer, failed), end; !failed && entry != end; entry.increment(failed))
      if (fs::exists(entry->path() / file.filename(), failed))
        return doubt(fmt::format("in {} it lies below {} alone, for processors with more instructions", place,
                                 entry->path().string()));
  }

  void doubt(std::string why) {
    if (doubt_.empty()) doubt_ = std::move(why);
  }

  void finish(std::string searched) {
    if (decided_) return;
    library_.state = doubt_.empty() ? State::missing : State::undecided;
    library_.words = doubt_.empty() ? std::move(searched) : doubt_;
  }

  NeededLibrary& library_;
  const LoaderCache& cache_;
  std::string doubt_;
  bool decided_ = false;
};

std::optional<ElfFile> read_quietly(const fs::path& path) {
  try {
    return ElfFile(path);
  } catch (const ElfError&) {
    return std::nullopt;
  }
}

const LoadedFile* loaded_as(const LoadedFiles& loaded, std::string_view name) {
  const auto own = loaded.needed_by(*loaded.program());
  const auto found = std::ranges::find(own, name, &LoadedFile::soname);
  return found == own.end() ? nullptr : *found;
}

// Other versions of the library that lie in the system's directories.
std::string others_installed(const std::string& name) {
  const std::size_t end = name.find(".so");
  if (end == std::string::npos || name.find('/') != std::string::npos) return {};
  std::string others;
  for (const std::string& other : LoaderCache().names_with(name.substr(0, end + 3)))
    if (other != name) others += fmt::format("{}{}", others.empty() ? "" : ", ", other);
  return others.empty() ? "" : fmt::format("; installed is {}: a plugin built here would need that", others);
}

}  // namespace

std::vector<NeededLibrary> find_needed(const ElfFile& file, const fs::path& path) {
  const LoadedFiles loaded;
  const LoaderCache cache;
  const std::optional<ElfFile> program = read_quietly("/proc/self/exe");
  const std::vector<fs::path> defaults = default_directories(program ? &*program : nullptr);
  std::vector<NeededLibrary> all;
  std::set<std::string, std::less<>> seen;
  std::vector<std::unique_ptr<Object>> objects;  // in the order in which the loader comes to them
  objects.push_back(std::make_unique<Object>(Object{file, path, nullptr}));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Object& user = *objects[i];
    for (const std::string_view name : user.file.needed()) {
      if (name.empty() || !seen.emplace(name).second) continue;
      NeededLibrary library{std::string(name), user.path, i == 0, State::missing, {}, {}, {}};
      if (const LoadedFile* const here = loaded_as(loaded, name)) {
        library.state = State::in_program;
        library.path = here->path;
      } else {
        LibrarySearch(library, cache).run(user, program ? &*program : nullptr, defaults);
        if (library.state == State::found) {
          const ElfFile elf(library.path);
          if (!elf.soname().empty()) seen.emplace(elf.soname());  // another name for it finds it loaded
          objects.push_back(std::make_unique<Object>(Object{elf, library.path, &user}));
        }
      }
      all.push_back(std::move(library));
    }
  }
  return all;
}

std::vector<UndefinedSymbols> find_undefined(const ElfFile& file, const fs::path& path,
                                             const std::vector<NeededLibrary>& needed) {
  std::vector<std::pair<fs::path, ElfFile>> files{{path, file}};
  for (const NeededLibrary& library : needed)
    if (library.state == State::found) files.emplace_back(library.path, ElfFile(library.path));
  std::unordered_set<std::string_view> defined;
  for (const auto& one : files)
    for (const ElfSymbol& symbol : one.second.exports()) defined.insert(symbol.name);
  // What the program came with goes before all of these, LD_PRELOAD's files too; dlsym asks it and runs none of it.
  std::vector<std::optional<ElfFile>> of_program;  // for names of old versions, which dlsym does not give
  for (const NeededLibrary& library : needed)
    if (library.state == State::in_program)
      if (const auto& elf = of_program.emplace_back(read_quietly(library.path)))
        for (const ElfSymbol& symbol : elf->exports()) defined.insert(symbol.name);
  std::vector<UndefinedSymbols> found;
  for (const auto& [where, elf] : files) {
    UndefinedSymbols undefined{where, {}};
    for (const std::string_view name : elf.undefined_symbols())
      if (!defined.contains(name) && !::dlsym(RTLD_DEFAULT, std::string(name).c_str()))
        undefined.names.emplace_back(name);
    if (!undefined.names.empty()) found.push_back(std::move(undefined));
  }
  return found;
}

std::string explain(const NeededLibrary& library, const fs::path& plugin) {
  const std::string who = library.direct ? "" : fmt::format("{} needs ", library.needed_by.string());
  const std::string needs = library.direct ? fmt::format("needs {}", library.name) : who + library.name;
  if (library.state == State::unfit)
    return fmt::format("{}, and {}, which comes first in its place, {}", needs, library.path.string(), library.words);
  if (library.state == State::undecided)
    return fmt::format("{}; whether it is found cannot be told without loading: {}", needs, library.words);
  std::error_code failed;
  const fs::path beside = fs::path(plugin).parent_path() / library.name;
  const bool is_beside = library.name.find('/') == std::string::npos && fs::exists(beside, failed);
  return fmt::format("{}, which was not found in {}: {}{}", needs, library.words,
                     is_beside ? "it lies beside the plugin, so link with -Wl,-rpath,'$ORIGIN'"
                               : "install the package that has it, link with -Wl,-rpath,DIR, or name its directory in "
                                 "LD_LIBRARY_PATH",
                     others_installed(library.name));
}

}  // namespace tlsrig::host
