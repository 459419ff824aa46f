// Another build of a plugin's library, in a directory of its own: what can be said of it before the plugin is loaded,
// and whether the files that came are those of the directory.
#pragma once

#include <filesystem>
#include <string>

#include <tlsrig/host/elf.hpp>
#include <tlsrig/host/loaded_files.hpp>

namespace tlsrig::host {

// Throws Refusal, which names `plugin`, when the directory cannot give the plugin its library: it is missing, has none
// of the files or one that cannot be loaded, or the plugin looks elsewhere first. Loads nothing.
void refuse_unfit_directory(const ElfFile& file, const std::filesystem::path& plugin,
                            const std::filesystem::path& library_directory);

// Whether a loaded file is one of the directory: it lies there, or a link of its name there leads to it.
bool comes_from(const LoadedFile& file, const std::filesystem::path& library_directory);

// Why a file of the library came from elsewhere, with the cure: the end of a refusal.
std::string explain_stray(const LoadedFile& file, const std::filesystem::path& library_directory);

}  // namespace tlsrig::host
