// Every way in which a file is not the plugin that is wanted, each with its own message.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elf.h>

#include <chrono>
#include <cstring>

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
    check_refusal(directory / "queue.so", {"is a named pipe"});
    check_refusal(write_file(directory / "empty.so", ""), {"is empty (0 bytes)", "build or copy it again"});
  }

  TEST_CASE("what cannot be opened or mapped is told of, and never waited for") {
    const TemporaryDirectory directory;
    fs::create_symlink("/nowhere/plugin.so", directory / "dangling.so");
    check_refusal(directory / "dangling.so", {"is a link to /nowhere/plugin.so, and there is no such file"});
    fs::create_symlink("round.so", directory / "round.so");
    check_refusal(directory / "round.so", {"cannot be read: Too many levels of symbolic links"});
    fs::create_symlink("/dev/null", directory / "device.so");
    check_refusal(directory / "device.so", {"is a device", "NAME.so"});
    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{AF_UNIX, {}};
    std::strncpy(address.sun_path, (directory / "socket.so").c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    check_refusal(directory / "socket.so", {"is a socket", "NAME.so"});
    ::close(listener);
    REQUIRE(::mkfifo((directory / "queue.so").c_str(), 0600) == 0);
    const auto begin = std::chrono::steady_clock::now();
    check_refusal(directory / "queue.so", {"is a named pipe", "NAME.so"});
    fs::create_symlink("queue.so", directory / "to_queue.so");
    check_refusal(directory / "to_queue.so", {"is a named pipe"});
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));  // nobody writes into it
    const fs::path unmappable = "/sys/kernel/uevent_seqnum";                    // a regular file of 4096 bytes to stat
    if (!fs::exists(unmappable)) {
      MESSAGE("skipped: a file that cannot be mapped (no ", unmappable.string(), ")");
      return;
    }
    fs::create_symlink(unmappable, directory / "unmappable.so");
    check_refusal(directory / "unmappable.so", {"cannot be mapped into memory: No such device"});
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
    check_refusal(patched(directory / "big.so", EI_DATA, "\x02"), {"another machine", "of the other byte order"});
    std::string s390 = read_file(fixture("good"));
    s390[EI_DATA] = ELFDATA2MSB;
    s390.replace(offsetof(Elf64_Ehdr, e_machine), 2, std::string("\x00\x16", 2));
    check_refusal(write_file(directory / "s390.so", s390), {"s390, 64-bit, of the other byte order; needed is "});
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
        for (const auto& undefined : elf.undefined_symbols()) CHECK(undefined.size() <= file.size());
      } catch (const tlsrig::host::ElfError& error) {
        CHECK(std::string_view(error.what()) != "");
      }
    }
  }

  TEST_CASE("a library without the entry") {
    check_refusal(
        fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so",
        {"exports no entry tlsrig_backend_v1", "exported instead: fixture_library_", "extern \"C\" TLSRIG_EXPORT"});
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
    check_refusal(fixture("abi2"), {"built for plugin ABI 2, this tlsrig speaks 1", "rebuild", "that speaks its ABI"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
    check_refusal(fixture("abi0"), {"built for plugin ABI 0, this tlsrig speaks 1", "rebuild", "nothing of it ran"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
  }

  TEST_CASE("a table that says it is smaller is told from the file too") {
    const TemporaryDirectory directory;
    const tlsrig::host::ElfFile good(fixture("good"));
    const std::string whole = read_file(fixture("good"));
    const std::string numbers("\x01\0\0\0\x60\0\0\0", 8);  // version, size: the begin of the table
    REQUIRE(sizeof(tlsrig_backend) == 0x60);
    const std::size_t place = whole.find(numbers);
    REQUIRE(place != std::string::npos);
    REQUIRE(whole.find(numbers, place + 1) == std::string::npos);
    std::string small = whole;
    small[place + 4] = 0x58;
    check_refusal(write_file(directory / "small.so", small),
                  {"struct_size 88, this tlsrig needs at least 96", "nothing of it ran"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
  }

  TEST_CASE("a missing library and an unresolved symbol are named, and no constructor runs") {
    const Variable path("LD_LIBRARY_PATH", "/nowhere/at/all");
    check_refusal(fixture("missing_library"),
                  {"needs libabsent.so.99, which was not found in", "LD_LIBRARY_PATH (/nowhere/at/all)",
                   "RUNPATH (not set)", "the loader's cache", "install", "-Wl,-rpath"});
    CHECK_FALSE(has_trace("CONSTRUCTED"));
    check_refusal(fixture("unresolved"), {"undefined symbol not_there", "(needed by", "ldd -r"});
    CHECK_FALSE(has(refusal_of(fixture("unresolved")), "Bad file descriptor"));
    CHECK_FALSE(has_trace("CONSTRUCTED"));
  }
}
