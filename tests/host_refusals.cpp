// Every way in which a file is not the plugin that is wanted, each with its own message.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include <doctest/doctest.h>
#include <tlsrig/host/elf.hpp>

#include "host_fixtures.hpp"

using namespace host_tests;

namespace {

// A copy of a fixture with some bytes changed.
fs::path patched(const fs::path& to, std::size_t offset, std::string_view bytes) {
  std::string file = read_file(fixture("good"));
  file.replace(offset, bytes.size(), bytes);
  return write_file(to, file);
}

void check_refusal(const fs::path& plugin, std::initializer_list<std::string_view> parts) {
  const std::string words = refusal_of(plugin);
  INFO("refusal: ", words);
  CHECK(words.starts_with(plugin.string() + ": "));
  for (const std::string_view part : parts) {
    INFO("part: ", part);
    CHECK(has(words, part));
  }
}

}  // namespace

TEST_SUITE("host.refusals") {
  TEST_CASE("a file that is not there, a directory, a queue, an empty file") {
    const TemporaryDirectory directory;
    check_refusal(directory / "none.so", {"there is no such file", "build the plugin"});
    check_refusal(directory.path(), {"is a directory", "name the .so in it"});
    REQUIRE(::mkfifo((directory / "queue.so").c_str(), 0600) == 0);
    check_refusal(directory / "queue.so", {"is not a regular file"});
    check_refusal(write_file(directory / "empty.so", ""), {"is empty (0 bytes)", "build or copy it again"});
  }

  TEST_CASE("a file that its reader may not read") {
    const TemporaryDirectory directory;
    const fs::path plugin = directory / "closed.so";
    fs::copy_file(fixture("good"), plugin);
    fs::permissions(plugin, fs::perms::none);
    fs::permissions(directory.path(), fs::perms::all);
    const pid_t child = ::fork();
    if (child == 0) {  // as a user who is not root, whom nothing is refused
      if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
      const std::string words = refusal_of(plugin);
      ::_exit(has(words, "cannot be read: Permission denied") ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }

  TEST_CASE("files of other kinds") {
    const TemporaryDirectory directory;
    check_refusal(write_file(directory / "text.so", "#!/bin/sh\necho \"x\"\n"),
                  {"is not a library", "begins with \"#!/bin/sh\"", "needed is an ELF shared library"});
    check_refusal(write_file(directory / "binary.so", std::string("\x7f\"\0", 3)), {"begins with \"\\x7f\\x22\\x00\""});
    check_refusal(HOST_ARCHIVE, {"is a static archive", "-shared"});
    check_refusal("/proc/self/exe", {"is a program", "-shared"});
    check_refusal(patched(directory / "object.so", offsetof(Elf64_Ehdr, e_type), std::string("\x01\x00", 2)),
                  {"is an object file", "-shared"});
    check_refusal(patched(directory / "core.so", offsetof(Elf64_Ehdr, e_type), std::string("\x04\x00", 2)), {"type 4"});
  }

  TEST_CASE("libraries for other machines") {
    const TemporaryDirectory directory;
#if defined(__x86_64__)
    check_refusal(patched(directory / "arm.so", offsetof(Elf64_Ehdr, e_machine), std::string("\xb7\x00", 2)),
                  {"another machine", "aarch64, 64-bit", "needed is x86-64, 64-bit", "build it"});
#endif
    check_refusal(patched(directory / "i386.so", EI_CLASS, "\x01"), {"another machine", "32-bit", "needed is"});
    check_refusal(patched(directory / "big.so", EI_DATA, "\x02"), {"another machine", "the other byte order"});
  }

  TEST_CASE("a file cut off anywhere is refused and never crashes the reader") {
    const TemporaryDirectory directory;
    const std::string whole = read_file(fixture("good"));
    for (const std::size_t size : {4u, 5u, 17u, 20u, 63u, 64u, 120u, 800u, 4096u, 12000u}) {
      REQUIRE(size < whole.size());
      INFO("size ", size);
      check_refusal(write_file(directory / "cut.so", whole.substr(0, size)), {"is truncated or damaged", "again"});
    }
  }

  TEST_CASE("damage inside a file never crashes the reader") {
    const TemporaryDirectory directory;
    const std::string whole = read_file(fixture("good"));
    std::uint32_t state = 12345;
    for (int round = 0; round < 400; ++round) {
      std::string file = whole;
      for (int i = 0; i < 40; ++i) {
        state = state * 1664525u + 1013904223u;
        file[64 + (state >> 8) % 4000] = static_cast<char>(state >> 24);
      }
      try {
        const tlsrig::host::ElfFile elf(write_file(directory / "damaged.so", file));
        for (const auto& symbol : elf.exports()) CHECK(symbol.name.size() <= file.size());
        for (const auto& symbol : elf.debug_symbols()) CHECK(symbol.name.size() <= file.size());
        for (const auto& binding : elf.bindings()) CHECK(binding.symbol.name.size() <= file.size());
      } catch (const tlsrig::host::ElfError& error) {
        CHECK(std::string_view(error.what()) != "");
      }
    }
  }

  TEST_CASE("a library without the entry") {
    check_refusal(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so",
                  {"has no entry tlsrig_backend_v1", "it exports fixture_library_", "extern \"C\" TLSRIG_EXPORT"});
    check_refusal(fixture("entry_v2"), {"offers tlsrig_backend_v2", "needs tlsrig_backend_v1", "rebuild"});
    check_refusal(fixture("entry_function"), {"is not an object"});
    check_refusal(fixture("entry_short"), {"has 8 bytes", "has 96", "rebuild"});
  }

  TEST_CASE("an entry without C linkage, exported or held back by a version script, and a hidden entry") {
    check_refusal(fixture("no_linkage"), {"without C linkage (found _ZN4mine17tlsrig_backend_v1E)", "extern \"C\""});
    check_refusal(fixture("no_linkage_scripted"), {"without C linkage (found _ZN4mine17tlsrig_backend_v1E)"});
    check_refusal(fixture("hidden"), {"has tlsrig_backend_v1 but does not export it", "TLSRIG_EXPORT"});
  }

  TEST_CASE("another plugin ABI is told from the file, before a constructor of the plugin runs") {
    check_refusal(fixture("abi2"), {"built for plugin ABI 2, this tlsrig speaks 1", "rebuild"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
  }

  TEST_CASE("a missing library and an unresolved symbol are named, and no constructor runs") {
    const Variable path("LD_LIBRARY_PATH", "/nowhere/at/all");
    check_refusal(fixture("missing_library"), {"needs libabsent.so.99, which was not found in",
                                               "LD_LIBRARY_PATH (/nowhere/at/all)", "RUNPATH (not set)", "install"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
    check_refusal(fixture("unresolved"), {"undefined symbol not_there", "(needed by", "ldd -r"});
    CHECK_FALSE(has(refusal_of(fixture("unresolved")), "Bad file descriptor"));
    CHECK_FALSE(has_trace("CONSTRUCTED"));
  }
}
