// What can be said of a plugin from its file alone: everything that refuses it before code of it runs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <tlsrig/host/elf.hpp>

namespace tlsrig::host {

inline constexpr const char* entry_name = "tlsrig_backend_v1";

// Reads the file and gives it when it could be a plugin of this contract. Throws Refusal, which names `plugin`.
ElfFile examine(const std::filesystem::path& plugin);

// The same in parts, each without the plugin's name. Throws ElfError for what is no shared library of this machine.
ElfFile read_library(const std::filesystem::path& plugin);

// What is wrong with the entry, with the cure; empty when nothing is, as far as the file tells.
std::string fault_of_entry(const ElfFile& file);

// Whether it has an entry of some version or form: then a plugin was meant, whatever is wrong with it.
bool is_meant_as_plugin(const std::filesystem::path& file);

// What it exports besides the entry, which others may bind to, with the cure; empty when nothing.
std::string explain_exports(const ElfFile& file);

// "ELF 64-bit x86-64 shared object, 215 KiB, build-id ...".
std::string describe(const ElfFile& file);

// Where the loader looks for a library that `file` needs, in its order, for messages.
std::string searched_places(const ElfFile& file);

// For symbols that `holder`, the plugin or a library of it, needs and nobody has: the words, with the cure.
std::string explain_undefined(std::string_view names, std::string_view holder, const ElfFile& file,
                              const std::filesystem::path& plugin);

// The words of a refusal for what dlopen said of `plugin`: a missing library, an unresolved symbol, or other.
std::string explain_load_failure(const ElfFile& file, const std::filesystem::path& plugin, std::string_view dlerror);

}  // namespace tlsrig::host
