// The libraries that a file needs, and where the loader would find each: told from files alone, since `ldd` may run
// them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tlsrig/host/elf.hpp>

namespace tlsrig::host {

struct NeededLibrary {
  enum class State {
    found,
    in_program,  // loaded already, with the program: it is taken, wherever else one of its name lies
    missing,
    unfit,      // the first file of its name is one that the loader refuses
    undecided,  // the loader may find it by rules that are not followed here
  };
  std::string name;                 // as its user asks for it
  std::filesystem::path needed_by;  // the plugin, or a library that it needs
  bool direct = true;               // the plugin itself needs it
  State state = State::missing;
  std::filesystem::path path;  // found, in_program, unfit
  std::string place;           // found: "RUNPATH", "LD_LIBRARY_PATH"...
  std::string words;           // unfit, undecided: why; missing: the places searched
};

// What `file` needs, and what those need, breadth first as the loader goes: each name once. path: where `file` lies.
// Throws nothing that is the files' fault.
std::vector<NeededLibrary> find_needed(const ElfFile& file, const std::filesystem::path& path);

// Symbols that a file of the plugin needs and none that would be loaded has, the program and what it has loaded
// included.
struct UndefinedSymbols {
  std::filesystem::path file;
  std::vector<std::string> names;
};

// Only for a plugin of which every library is found: else what is not there may well have it.
std::vector<UndefinedSymbols> find_undefined(const ElfFile& file, const std::filesystem::path& path,
                                             const std::vector<NeededLibrary>& needed);

// The words, with the cure, for a library that is missing, unfit or undecided.
std::string explain(const NeededLibrary& library, const std::filesystem::path& plugin);

}  // namespace tlsrig::host
