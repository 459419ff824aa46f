// What can be said of a plugin from its file alone: everything that refuses it before code of it runs.
#pragma once

#include <filesystem>
#include <string>

#include <tlsrig/host/elf.hpp>

namespace tlsrig::host {

inline constexpr const char* entry_name = "tlsrig_backend_v1";

// Reads the file and gives it when it could be a plugin of this contract. Throws Refusal, which names `plugin`.
ElfFile examine(const std::filesystem::path& plugin);

// Where the loader looks for a library that `file` needs, in its order, for messages.
std::string searched_places(const ElfFile& file);

// The words of a refusal for what dlopen said of `plugin`: a missing library, an unresolved symbol, or other.
std::string explain_load_failure(const ElfFile& file, const std::filesystem::path& plugin, std::string_view dlerror);

}  // namespace tlsrig::host
