// Reading a shared library's file without loading it, so that a plugin is refused before any code of it runs.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::host {

// A file that is no shared library for this machine. The text says what was found, what is needed and the cure; it
// does not name the file.
struct ElfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One that the loader passes over where it looks for a library.
struct OtherMachine : ElfError {
  using ElfError::ElfError;
};

// "x86-64": what this program is built for.
std::string native_machine_name();

struct ElfSymbol {
  std::string_view name;      // into the file
  unsigned char binding = 0;  // STB_*
  unsigned char type = 0;     // STT_*
  bool defined = false;
  std::uint64_t value = 0;  // address as linked
  std::uint64_t size = 0;
};

// A place that the loader fills with the address of a symbol.
struct ElfBinding {
  std::uint64_t place = 0;  // address as linked
  std::int64_t addend = 0;
  ElfSymbol symbol;
};

// The build-id in the notes of a segment, in hexadecimal; empty when there is none.
std::string build_id_in(std::span<const std::byte> notes, std::size_t alignment);

// A shared library, or a program, of this machine. Holds the file mapped; all string views live as long as it.
class ElfFile {
 public:
  // Throws ElfError. Runs nothing of the file.
  explicit ElfFile(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }
  bool is_program() const { return is_program_; }
  bool executable_stack() const { return executable_stack_; }
  bool text_relocations() const { return text_relocations_; }
  bool no_default_directories() const { return no_default_directories_; }  // -z nodefaultlib
  const std::vector<std::string_view>& needed() const { return needed_; }
  std::string_view soname() const { return soname_; }
  std::string_view rpath() const { return rpath_; }
  std::string_view runpath() const { return runpath_; }
  const std::string& build_id() const { return build_id_; }

  // Symbols that other files can bind to.
  std::vector<ElfSymbol> exports() const;
  std::optional<ElfSymbol> find_export(std::string_view name) const;

  // The symbol table for debuggers, where names that are not exported still stand; empty in a stripped file.
  std::vector<ElfSymbol> debug_symbols() const;

  // Every place bound to a named symbol, its own or another file's. Empty on a machine whose relocations are not known
  // here.
  std::vector<ElfBinding> bindings() const;

  // Names that the loader must find in other files: what is weak may stay undefined.
  std::vector<std::string_view> undefined_symbols() const;

  // The 32-bit number that the file holds for an address as linked; nothing where the file holds none.
  std::optional<std::uint32_t> number_at(std::uint64_t address) const;

 private:
  template <class T>
  std::optional<T> at(std::uint64_t offset) const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::string_view string_at(std::uint64_t table, std::uint64_t table_size, std::uint64_t index) const;
  std::optional<ElfSymbol> symbol_at(std::uint64_t offset, std::uint64_t strings, std::uint64_t strings_size) const;
  std::optional<ElfSymbol> dynamic_symbol(std::uint64_t index) const;
  std::uint64_t dynamic_symbol_count() const;
  void check_header();
  void read_segments();
  void read_dynamic(const ElfW(Phdr) & segment);
  template <class Take>
  void for_each_relocation(Take&& take) const;

  std::uint64_t size_ = 0;  // before bytes_, whose making sets it
  std::shared_ptr<const std::byte> bytes_;
  ElfW(Ehdr) header_{};
  std::vector<ElfW(Phdr)> segments_;
  std::vector<std::string_view> needed_;
  std::string_view soname_, rpath_, runpath_;
  std::string build_id_;
  bool is_program_ = false, executable_stack_ = false, text_relocations_ = false, no_default_directories_ = false;
  std::uint64_t symbols_ = 0, strings_ = 0, strings_size_ = 0, hash_ = 0, gnu_hash_ = 0;  // offsets in the file
  std::uint64_t relocations_ = 0, relocations_size_ = 0, plt_relocations_ = 0, plt_relocations_size_ = 0;
};

}  // namespace tlsrig::host
