// The files whose code this process runs, and who is bound to whom: finds another library's code under a backend's
// name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/host/elf.hpp>

namespace tlsrig::host {

// A file in memory, described from memory.
struct LoadedFile {
  std::filesystem::path path;  // canonical, or as loaded when it is gone; empty for the kernel's own code (the vDSO)
  std::string soname;          // its file name when it has none
  std::vector<std::string> needed;  // sonames
  std::string build_id;             // as loaded, which an upgrade on disk does not change; empty when the file has none
  std::uint64_t base = 0;           // what is added to an address as linked
  std::vector<std::pair<std::uint64_t, std::uint64_t>> segments;  // [begin, end)
};

// A picture of the files loaded at one moment.
class LoadedFiles {
 public:
  LoadedFiles();

  const LoadedFile* find(const void* address) const;
  const LoadedFile* program() const { return files_.empty() ? nullptr : &files_.front(); }

  // The files that `file` needs, and that those need, by soname.
  std::vector<const LoadedFile*> needed_by(const LoadedFile& file) const;

 private:
  const LoadedFile* find_soname(std::string_view soname) const;

  std::vector<LoadedFile> files_;  // the program first
};

// The files that come with a plugin: itself and what it needs, without what the program needs too (the C library).
std::vector<const LoadedFile*> own_files(const LoadedFiles& loaded, const LoadedFile& plugin);

// Throws Refusal when a function that the plugin's own files have would run another file's code: RTLD_LOCAL does not
// protect from a library that was there first, by LD_PRELOAD or by the program.
void refuse_strangers(const LoadedFiles& loaded, const LoadedFile& plugin);

}  // namespace tlsrig::host
