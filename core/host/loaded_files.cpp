// The files whose code this process runs, and who is bound to whom.
#include <tlsrig/host/loaded_files.hpp>

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;

// Where a file was deleted since it was loaded, the name under which it was loaded.
fs::path canonical_or_as_named(const fs::path& path) {
  std::error_code failed;
  fs::path canonical = fs::canonical(path, failed);
  return failed ? path : canonical;
}

// Read in memory, not in the file: there may be no right to read a program that runs, no memory left to map it, or
// another file by now under its name.
void read_dynamic(LoadedFile& file, const ElfW(Dyn) * entries) {
  std::uint64_t strings = 0;
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
  if (strings == 0) return;
  if (strings < file.base) strings += file.base;  // not every machine's loader has put the address in memory here
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry) {
    const auto* const name = reinterpret_cast<const char*>(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) file.soname = name;
    if (entry->d_tag == DT_NEEDED) file.needed.emplace_back(name);
  }
}

// The vDSO, which is mapped without a file.
bool is_kernels(const dl_phdr_info& info) {
  const std::uint64_t kernel = ::getauxval(AT_SYSINFO_EHDR);
  const auto holds = [&](const ElfW(Phdr) & segment) {
    const std::uint64_t begin = info.dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && kernel >= begin && kernel < begin + segment.p_memsz;
  };
  return kernel && std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum, holds);
}

int add_file(dl_phdr_info* info, std::size_t, void* into) {
  auto& files = *static_cast<std::vector<LoadedFile>*>(into);
  LoadedFile file;
  // The program comes first and has no name. A name without a slash is the kernel's, or, where LD_LIBRARY_PATH has an
  // empty directory, that of a file in the one in which the program runs.
  const std::string_view name(info->dlpi_name ? info->dlpi_name : "");
  if (files.empty())
    file.path = canonical_or_as_named("/proc/self/exe");
  else if (!is_kernels(*info))
    file.path = canonical_or_as_named(name);
  file.base = info->dlpi_addr;
  for (const ElfW(Phdr)* segment = info->dlpi_phdr; segment != info->dlpi_phdr + info->dlpi_phnum; ++segment) {
    const std::uint64_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD) file.segments.emplace_back(begin, begin + segment->p_memsz);
    if (segment->p_type == PT_NOTE && file.build_id.empty())
      file.build_id = build_id_in({reinterpret_cast<const std::byte*>(begin), segment->p_memsz}, segment->p_align);
    if (segment->p_type == PT_DYNAMIC && !file.path.empty())
      read_dynamic(file, reinterpret_cast<const ElfW(Dyn)*>(begin));
  }
  if (file.soname.empty()) file.soname = file.path.filename().string();
  files.push_back(std::move(file));
  return 0;
}

bool contains(const std::vector<const LoadedFile*>& files, const LoadedFile* file) {
  return std::ranges::find(files, file) != files.end();
}

// Inline functions and templates are weak or unique and merged on purpose; only whole functions name a library.
bool names_a_library(const ElfSymbol& symbol) { return symbol.binding == STB_GLOBAL && symbol.type != STT_TLS; }

// The place lies in the file's own relocation table, where AddressSanitizer sees a gap between two globals.
[[gnu::no_sanitize("address", "undefined")]] const void* bound_to(const LoadedFile& file, const ElfBinding& binding) {
  const auto value = *reinterpret_cast<const std::uint64_t*>(file.base + binding.place);
  return value ? reinterpret_cast<const void*>(value - static_cast<std::uint64_t>(binding.addend)) : nullptr;
}

}  // namespace

LoadedFiles::LoadedFiles() { ::dl_iterate_phdr(add_file, &files_); }

const LoadedFile* LoadedFiles::find(const void* address) const {
  const auto value = reinterpret_cast<std::uint64_t>(address);
  for (const LoadedFile& file : files_)
    for (const auto& [begin, end] : file.segments)
      if (value >= begin && value < end) return &file;
  return nullptr;
}

const LoadedFile* LoadedFiles::find_soname(std::string_view soname) const {
  const auto found = std::ranges::find(files_, soname, &LoadedFile::soname);
  return found == files_.end() ? nullptr : &*found;
}

std::vector<const LoadedFile*> LoadedFiles::needed_by(const LoadedFile& file) const {
  std::vector<const LoadedFile*> found{&file};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const std::string_view soname : found[i]->needed)
      if (const LoadedFile* const needed = find_soname(soname); needed && !contains(found, needed))
        found.push_back(needed);
  found.erase(found.begin());
  return found;
}

std::vector<const LoadedFile*> own_files(const LoadedFiles& loaded, const LoadedFile& plugin) {
  std::vector<const LoadedFile*> own{&plugin};
  const std::vector<const LoadedFile*> shared = loaded.needed_by(*loaded.program());
  for (const LoadedFile* const file : loaded.needed_by(plugin))
    if (!contains(shared, file)) own.push_back(file);
  return own;
}

void refuse_strangers(const LoadedFiles& loaded, const LoadedFile& plugin) {
  const std::vector<const LoadedFile*> own = own_files(loaded, plugin);
  std::vector<ElfFile> elves;
  std::unordered_map<std::string_view, const LoadedFile*> owner;  // of each name
  for (const LoadedFile* const file : own) {
    try {
      elves.emplace_back(file->path);
    } catch (const ElfError& error) {
      throw Refusal(fmt::format("{}: cannot tell whose code it runs: {} {}", plugin.path.string(), file->path.string(),
                                error.what()));
    }
    for (const ElfSymbol& symbol : elves.back().exports())
      if (names_a_library(symbol)) owner.emplace(symbol.name, file);
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    for (const ElfBinding& binding : elves[i].bindings()) {
      const auto rightful = owner.find(binding.symbol.name);
      if (rightful == owner.end()) continue;
      const void* const target = bound_to(*own[i], binding);
      const LoadedFile* const found = target ? loaded.find(target) : nullptr;
      // The C library has the kernel's own code (the vDSO) run for some of its functions: no library's, so no
      // stranger's.
      if (!found || found->path.empty() || contains(own, found)) continue;
      throw Refusal(
          fmt::format("{}: {} would run {} in place of {}: another library was there first under the same names; {}",
                      plugin.path.string(), binding.symbol.name, found->path.string(), rightful->second->path.string(),
                      std::getenv("LD_PRELOAD") ? "unset LD_PRELOAD" : "the program must not be linked with it"));
    }
}

}  // namespace tlsrig::host
