// Reading a shared library's file without loading it. Every offset in the file is taken for a lie until checked.
#include <tlsrig/host/elf.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "mapped_file.hpp"

namespace tlsrig::host {

namespace {

constexpr unsigned char native_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char native_data = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr std::uint16_t native_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t native_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t native_machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t native_machine = EM_PPC64;
#elif defined(__s390x__)
constexpr std::uint16_t native_machine = EM_S390;
#else
#error "name this machine's ELF number here"
#endif

std::string machine_name(std::uint16_t machine) {
  constexpr std::pair<std::uint16_t, const char*> names[] = {
      {EM_386, "i386"},      {EM_ARM, "arm"},     {EM_X86_64, "x86-64"}, {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"},
      {EM_PPC, "powerpc"},   {EM_PPC64, "ppc64"}, {EM_S390, "s390"},     {EM_MIPS, "mips"},       {EM_SPARC, "sparc"},
      {EM_SPARCV9, "sparc"}, {EM_IA_64, "ia64"},  {EM_ALPHA, "alpha"},   {EM_68K, "m68k"},        {EM_SH, "sh4"},
      {EM_PARISC, "hppa"},   {258, "loongarch"},  // EM_LOONGARCH of newer headers
  };
  for (const auto& [number, name] : names)
    if (number == machine) return name;
  return fmt::format("machine {}", machine);
}

std::string first_bytes(std::string_view bytes) {
  std::string shown;
  for (const char byte : bytes.substr(0, 16)) {
    const auto value = static_cast<unsigned char>(byte);
    if (value == '\n') break;
    shown += value >= 0x20 && value < 0x7f && value != '"' ? std::string(1, byte) : fmt::format("\\x{:02x}", value);
  }
  return shown;
}

[[noreturn]] void fail_truncated(std::uint64_t size, std::string_view what) {
  throw ElfError(
      fmt::format("is truncated or damaged: {} of the ELF file lies beyond its {} bytes; build or copy it "
                  "again",
                  what, size));
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

constexpr std::uint64_t symbol_of(std::uint64_t info) { return native_class == ELFCLASS64 ? info >> 32 : info >> 8; }

// Relocations that put a symbol's address into a place. Others (relative, thread-local) name no other file's code.
bool binds_symbol(std::uint64_t info, bool& uses_addend) {
  const std::uint64_t type = info & 0xffffffffu;
  if (native_machine == EM_X86_64) {
    uses_addend = type == R_X86_64_64;
    return type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT || type == R_X86_64_64;
  }
  if (native_machine == EM_AARCH64) {
    uses_addend = true;
    return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_ABS64;
  }
  return false;
}

}  // namespace

std::string build_id_in(std::span<const std::byte> notes, std::size_t alignment) {
  alignment = alignment == 8 ? 8 : 4;
  ElfW(Nhdr) note{};
  for (std::size_t offset = 0; offset + sizeof note <= notes.size();) {
    std::memcpy(&note, notes.data() + offset, sizeof note);
    const std::uint64_t name = offset + sizeof note;
    const std::uint64_t content = rounded_up(name + note.n_namesz, alignment);
    const std::uint64_t end = content + note.n_descsz;
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0) {
      std::string id;
      for (const std::byte byte : notes.subspan(content, note.n_descsz))
        id += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
      return id;
    }
    offset = rounded_up(end, alignment);
  }
  return {};
}

std::string native_machine_name() { return machine_name(native_machine); }

ElfFile::ElfFile(const std::filesystem::path& path) : bytes_(map_file(path, size_)) {
  check_header();
  read_segments();
}

template <class T>
std::optional<T> ElfFile::at(std::uint64_t offset) const {
  if (offset > size_ || size_ - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes_.get() + offset, sizeof value);
  return value;
}

void ElfFile::check_header() {
  const std::string_view whole(reinterpret_cast<const char*>(bytes_.get()), size_);
  if (whole.starts_with("!<arch>"))
    throw ElfError("is a static archive; a plugin is a shared library: link it with -shared");
  if (!whole.starts_with(std::string_view(ELFMAG, SELFMAG)))
    throw ElfError(fmt::format("is not a library: it begins with \"{}\"; needed is an ELF shared library for {}",
                               first_bytes(whole), machine_name(native_machine)));
  if (size_ <= EI_DATA) fail_truncated(size_, "the header");
  // e_machine and e_type lie at the same place in both classes.
  const auto machine = at<std::uint16_t>(offsetof(ElfW(Ehdr), e_machine));
  const auto header = at<ElfW(Ehdr)>(0);
  const auto bytes = reinterpret_cast<const unsigned char*>(bytes_.get());
  if (bytes[EI_DATA] != native_data || bytes[EI_CLASS] != native_class || (machine && *machine != native_machine)) {
    const bool same_order = bytes[EI_DATA] == native_data;
    if (!machine) fail_truncated(size_, "the header");
    throw OtherMachine(fmt::format(
        "is built for another machine: {}, {}-bit{}; needed is {}, {}-bit: build it on or for this machine",
        machine_name(same_order ? *machine : __builtin_bswap16(*machine)), bytes[EI_CLASS] == ELFCLASS32 ? 32 : 64,
        same_order ? "" : ", of the other byte order", machine_name(native_machine), sizeof(void*) * 8));
  }
  if (!header) fail_truncated(size_, "the header");
  header_ = *header;
  if (header_.e_type == ET_REL) throw ElfError("is an object file; a plugin is a shared library: link it with -shared");
  is_program_ = header_.e_type == ET_EXEC;
  if (header_.e_type != ET_DYN && header_.e_type != ET_EXEC)
    throw ElfError(fmt::format("is an ELF file of type {}; a plugin is a shared library", header_.e_type));
}

void ElfFile::read_segments() {
  for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
    const auto segment = at<ElfW(Phdr)>(header_.e_phoff + i * sizeof(ElfW(Phdr)));
    if (!segment) fail_truncated(size_, "the table of segments");
    segments_.push_back(*segment);
    if (segment->p_offset > size_ || segment->p_filesz > size_ - segment->p_offset)
      fail_truncated(size_, "a segment");  // the loader would map it, and its first touch would be a SIGBUS
  }
  const ElfW(Phdr)* dynamic = nullptr;
  for (const ElfW(Phdr) & segment : segments_) {
    if (segment.p_type == PT_DYNAMIC) dynamic = &segment;
    if (segment.p_type == PT_GNU_STACK) executable_stack_ = segment.p_flags & PF_X;
    if (segment.p_type == PT_NOTE && build_id_.empty())
      build_id_ = build_id_in({bytes_.get() + segment.p_offset, segment.p_filesz}, segment.p_align);
  }
  if (!dynamic) throw ElfError("is an ELF file without a dynamic section; a plugin is a shared library");
  read_dynamic(*dynamic);
}

void ElfFile::read_dynamic(const ElfW(Phdr) & segment) {
  std::vector<std::uint64_t> needed;
  std::uint64_t soname = 0, rpath = 0, runpath = 0;
  const auto place = [this](std::uint64_t address) { return offset_of(address).value_or(0); };
  for (std::uint64_t offset = 0; offset + sizeof(ElfW(Dyn)) <= segment.p_filesz; offset += sizeof(ElfW(Dyn))) {
    const ElfW(Dyn) entry = at<ElfW(Dyn)>(segment.p_offset + offset).value();
    if (entry.d_tag == DT_NULL) break;
    const std::uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NEEDED:
        needed.push_back(value);
        break;
      case DT_SONAME:
        soname = value;
        break;
      case DT_RPATH:
        rpath = value;
        break;
      case DT_RUNPATH:
        runpath = value;
        break;
      case DT_STRTAB:
        strings_ = place(value);
        break;
      case DT_STRSZ:
        strings_size_ = value;
        break;
      case DT_SYMTAB:
        symbols_ = place(value);
        break;
      case DT_HASH:
        hash_ = place(value);
        break;
      case DT_GNU_HASH:
        gnu_hash_ = place(value);
        break;
      case DT_RELA:
        relocations_ = place(value);
        break;
      case DT_RELASZ:
        relocations_size_ = value;
        break;
      case DT_JMPREL:
        plt_relocations_ = place(value);
        break;
      case DT_PLTRELSZ:
        plt_relocations_size_ = value;
        break;
      case DT_TEXTREL:
        text_relocations_ = true;
        break;
      case DT_FLAGS:
        text_relocations_ = text_relocations_ || (value & DF_TEXTREL);
        break;
      case DT_FLAGS_1:
        is_program_ = is_program_ || (value & DF_1_PIE);
        no_default_directories_ = value & DF_1_NODEFLIB;
        break;
    }
  }
  const auto text = [this](std::uint64_t index) { return string_at(strings_, strings_size_, index); };
  for (const std::uint64_t index : needed) needed_.push_back(text(index));
  if (soname) soname_ = text(soname);
  if (rpath) rpath_ = text(rpath);
  if (runpath) runpath_ = text(runpath);
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  for (const ElfW(Phdr) & segment : segments_)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

std::string_view ElfFile::string_at(std::uint64_t table, std::uint64_t table_size, std::uint64_t index) const {
  if (table > size_ || index >= table_size || index >= size_ - table) return {};
  const std::uint64_t limit = std::min(table_size, size_ - table) - index;
  const char* const begin = reinterpret_cast<const char*>(bytes_.get() + table + index);
  return {begin, ::strnlen(begin, limit)};
}

std::optional<ElfSymbol> ElfFile::symbol_at(std::uint64_t offset, std::uint64_t strings,
                                            std::uint64_t strings_size) const {
  const auto symbol = at<ElfW(Sym)>(offset);
  if (!symbol) return std::nullopt;
  return ElfSymbol{string_at(strings, strings_size, symbol->st_name),
                   static_cast<unsigned char>(ELF64_ST_BIND(symbol->st_info)),
                   static_cast<unsigned char>(ELF64_ST_TYPE(symbol->st_info)),
                   symbol->st_shndx != SHN_UNDEF,
                   symbol->st_value,
                   symbol->st_size};
}

std::optional<ElfSymbol> ElfFile::dynamic_symbol(std::uint64_t index) const {
  if (!symbols_) return std::nullopt;
  return symbol_at(symbols_ + index * sizeof(ElfW(Sym)), strings_, strings_size_);
}

// The dynamic section does not say how many symbols there are; the hash table, by which the loader finds them, does.
std::uint64_t ElfFile::dynamic_symbol_count() const {
  if (hash_) return at<std::uint32_t>(hash_ + 4).value_or(0);
  if (!gnu_hash_) return 0;
  const std::uint64_t buckets = at<std::uint32_t>(gnu_hash_).value_or(0);
  const std::uint64_t first = at<std::uint32_t>(gnu_hash_ + 4).value_or(0);
  const std::uint64_t bloom_words = at<std::uint32_t>(gnu_hash_ + 8).value_or(0);
  const std::uint64_t bucket_table = gnu_hash_ + 16 + bloom_words * sizeof(ElfW(Addr));
  const std::uint64_t chain_table = bucket_table + buckets * 4;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    const auto bucket = at<std::uint32_t>(bucket_table + i * 4);
    if (!bucket) return 0;
    last = std::max<std::uint64_t>(last, *bucket);
  }
  if (last < first) return 0;
  for (;; ++last) {  // the lowest bit of a link ends its chain
    const auto link = at<std::uint32_t>(chain_table + (last - first) * 4);
    if (!link) return 0;
    if (*link & 1u) return last + 1;
  }
}

std::vector<ElfSymbol> ElfFile::exports() const {
  std::vector<ElfSymbol> found;
  const std::uint64_t count = dynamic_symbol_count();
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto symbol = dynamic_symbol(i);
    if (!symbol) break;
    if (symbol->defined && symbol->binding != STB_LOCAL && !symbol->name.empty()) found.push_back(*symbol);
  }
  return found;
}

std::optional<ElfSymbol> ElfFile::find_export(std::string_view name) const {
  for (const ElfSymbol& symbol : exports())
    if (symbol.name == name) return symbol;
  return std::nullopt;
}

std::vector<ElfSymbol> ElfFile::debug_symbols() const {
  std::vector<ElfSymbol> found;
  for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
    const auto section = at<ElfW(Shdr)>(header_.e_shoff + i * sizeof(ElfW(Shdr)));
    if (!section || section->sh_type != SHT_SYMTAB) continue;
    const auto strings = at<ElfW(Shdr)>(header_.e_shoff + section->sh_link * sizeof(ElfW(Shdr)));
    if (!strings) continue;
    for (std::uint64_t offset = 0; offset < section->sh_size; offset += sizeof(ElfW(Sym))) {
      const auto symbol = symbol_at(section->sh_offset + offset, strings->sh_offset, strings->sh_size);
      if (!symbol) break;
      if (!symbol->name.empty()) found.push_back(*symbol);
    }
  }
  return found;
}

template <class Take>
void ElfFile::for_each_relocation(Take&& take) const {
  const std::pair<std::uint64_t, std::uint64_t> tables[] = {{relocations_, relocations_size_},
                                                            {plt_relocations_, plt_relocations_size_}};
  for (const auto& [table, size] : tables) {
    for (std::uint64_t offset = 0; table && offset < size; offset += sizeof(ElfW(Rela))) {
      const auto relocation = at<ElfW(Rela)>(table + offset);
      if (!relocation) break;
      take(*relocation);
    }
  }
}

std::vector<ElfBinding> ElfFile::bindings() const {
  std::vector<ElfBinding> found;
  for_each_relocation([&](const ElfW(Rela) & relocation) {
    bool uses_addend = false;
    if (!binds_symbol(relocation.r_info, uses_addend)) return;
    const auto symbol = dynamic_symbol(symbol_of(relocation.r_info));
    if (symbol && !symbol->name.empty())
      found.push_back({relocation.r_offset, uses_addend ? relocation.r_addend : 0, *symbol});
  });
  return found;
}

std::vector<std::string_view> ElfFile::undefined_symbols() const {
  std::set<std::uint64_t> indices;
  for_each_relocation([&](const ElfW(Rela) & relocation) { indices.insert(symbol_of(relocation.r_info)); });
  indices.erase(STN_UNDEF);
  std::vector<std::string_view> found;
  for (const std::uint64_t index : indices)
    if (const auto symbol = dynamic_symbol(index);
        symbol && !symbol->defined && symbol->binding == STB_GLOBAL && !symbol->name.empty())
      found.push_back(symbol->name);
  return found;
}

std::optional<std::uint32_t> ElfFile::number_at(std::uint64_t address) const {
  const auto offset = offset_of(address);
  return offset ? at<std::uint32_t>(*offset) : std::nullopt;
}

}  // namespace tlsrig::host
