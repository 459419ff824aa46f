// Backends: what start may answer, whose code runs, contexts and sessions, and reading ELF files.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <sys/auxv.h>
#include <tlsrig/host/elf.hpp>
#include <tlsrig/host/loaded_files.hpp>
#include <tlsrig/host/session.hpp>

#include "host_fixtures.hpp"

using namespace host_tests;
using tlsrig::host::Backend;
using tlsrig::host::Context;
using tlsrig::host::ContextOptions;
using tlsrig::host::Session;
using tlsrig::host::SetupError;
using tlsrig::host::Unsupported;

namespace {

// How a copy of the fixture `late` is refused that behaves as `wish` says. A copy, as a file is loaded once only.
std::string refusal_with(const std::string& wish) {
  static const TemporaryDirectory directory;
  static int count = 0;
  const fs::path plugin = directory / ("late" + std::to_string(++count) + ".so");
  fs::copy_file(fixture("late"), plugin);
  const Variable variable("TLSRIG_FIXTURE", wish);
  return refusal_of(plugin);
}

std::string printed_by_host_load(const std::string& environment, const std::string& arguments) {
  return output_of("env " + environment + " " + HOST_LOAD + " " + arguments);
}

template <class Exception, class Function>
std::string thrown_by(Function function) {
  try {
    function();
  } catch (const Exception& exception) {
    return exception.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("host.start") {
  TEST_CASE("a good plugin is loaded and started") {
    forget_traces();
    const Backend backend = Backend::load(fixture("good"));
    CHECK(backend.name() == "fixture");
    CHECK(backend.plain());
    CHECK(backend.path() == fs::canonical(fixture("good")));
    CHECK(backend.has_cipher("TLS_AES_128_GCM_SHA256"));
    CHECK_FALSE(backend.has_cipher("TLS_AES_128"));
    CHECK(backend.has_group("secp256r1"));
    CHECK_FALSE(backend.has_group("x448"));
    REQUIRE(backend.extension<int>("fixture.seven/1"));
    CHECK(*backend.extension<int>("fixture.seven/1") == 7);
    CHECK(backend.extension<int>("tlsrig.resumption/1") == nullptr);
    CHECK(has_trace("STARTED"));
  }

  TEST_CASE("a plugin is known under each of its names") {
    const TemporaryDirectory directory;
    fs::copy_file(fixture("good"), directory / "first.so");
    fs::create_hard_link(directory / "first.so", directory / "second.so");
    fs::create_symlink("first.so", directory / "third.so");
    for (const char* name : {"first.so", "second.so", "third.so"}) CHECK(refusal_of(directory / name) == "");
  }

  TEST_CASE("a plugin stays loaded when its Backend is gone") {
    const tlsrig_backend* table = nullptr;
    {
      const Backend backend = Backend::load(fixture("good"));
      table = &backend.table();
    }
    CHECK(table->abi_version == TLSRIG_ABI_VERSION);
    CHECK(table->handshake(nullptr) == TLSRIG_ERROR);
  }

  TEST_CASE("a longer table is taken, what lies beyond is ignored") { CHECK(refusal_of(fixture("large")) == ""); }
  TEST_CASE("a table filled while loading is taken") { CHECK(refusal_with("nothing") == ""); }

  TEST_CASE("a table of another ABI or too small is refused, and nothing of it is called") {
    for (const char* number : {"0", "2", "2147483647"}) {
      CHECK(has(refusal_with(std::string("abi=") + number),
                std::string("built for plugin ABI ") + number + ", this tlsrig speaks 1: rebuild it"));
      CHECK_FALSE(has_trace("STARTED"));
    }
    CHECK(has(refusal_with("size=8"), "struct_size 8, this tlsrig needs at least 96"));
    CHECK_FALSE(has_trace("STARTED"));
  }

  TEST_CASE("every slot is required") {
    for (const char* slot : {"start", "create_context", "destroy_context", "open", "close", "handshake", "read",
                             "write", "shutdown", "describe", "extension"}) {
      const std::string words = refusal_with(std::string("null=") + slot);
      INFO(words);
      CHECK(has(words, std::string("the slot ") + slot + " is NULL"));
      CHECK_FALSE(has_trace("STARTED"));
    }
  }

  TEST_CASE("what start answers") {
    CHECK(has(refusal_with("start-fails"), "start failed: the fixture does not feel like it"));
    CHECK(has(refusal_with("start-silent"), "start failed: an error of kind \"other\" without words"));
    CHECK(has(refusal_with("start-odd"), "start answered 99"));
    CHECK(has(refusal_with("no-info"), "gave no info"));
    CHECK(has(refusal_of(fixture("throws")), "an exception left start: no config"));
    const Variable wish("TLSRIG_FIXTURE", "throw-int");
    CHECK(has(refusal_of(fixture("throws")), "an exception left start: it is not a std::exception"));
  }

  TEST_CASE("what an info must have") {
    CHECK(has(refusal_with("info-small"), "info says struct_size 16"));
    CHECK(has(refusal_with("config-small"), "config_size 4"));
    CHECK(has(refusal_with("no-name"), "has no name"));
    CHECK(has(refusal_with("odd-name"), "its name is \"open/ssl\""));
    CHECK(has(refusal_with("no-library"), "has no library"));
    CHECK(has(refusal_with("two-lines"), "control characters: \"fixture\\x0a1.0\""));
    CHECK(has(refusal_with("no-build"), "NULL build"));
    CHECK(has(refusal_with("no-transport"), "no transport"));
    CHECK(has(refusal_with("no-anchors"), "no anchors"));
  }
}

TEST_SUITE("host.identity") {
  TEST_CASE("the library of an anchor is told by file and build-id") {
    const Backend backend = Backend::load(fixture("with_library"));
    REQUIRE(backend.files().size() == 1);
    const auto& file = backend.files().front();
    CHECK(file.path == fs::canonical(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1"));
    const std::string notes = output_of("readelf -n " + file.path.string());
    REQUIRE(has(notes, "Build ID: "));
    CHECK(file.build_id.size() >= 16);
    CHECK(has(notes, "Build ID: " + file.build_id + "\n"));
    CHECK(backend.warnings().empty());
  }

  TEST_CASE("a library linked into the plugin lies in the plugin's file; its exports are warned of") {
    const Backend backend = Backend::load(fixture("library_inside"));
    REQUIRE(backend.files().size() == 1);
    CHECK(backend.files().front().path == backend.path());
    REQUIRE(backend.warnings().size() == 1);
#if defined(__SANITIZE_ADDRESS__)  // has a symbol of its own for each
    CHECK(has(backend.warnings().front(), " symbols besides tlsrig_backend_v1 (such as "));
#else
    CHECK(has(backend.warnings().front(), "exports 2 symbols besides tlsrig_backend_v1 (fixture_library_"));
#endif
  }

  TEST_CASE("a variant's library must lie in the variant's directory") {
    const TemporaryDirectory elsewhere;
    const fs::path library = fs::path(HOST_FIXTURES) / "library";
    CHECK(refusal_of(fixture("with_library"), library) == "");
    CHECK(refusal_of(fixture("with_library"), library / ".." / "library" / "") == "");
    CHECK(has(refusal_of(fixture("good"), elsewhere.path()), "has its library linked in, or none at all"));
    CHECK(has(refusal_of(fixture("with_library"), elsewhere / "none"), "/none does not exist"));
    CHECK(has(refusal_of(fixture("with_library"), library / "libfixture_library.so.1"), "is no directory"));
    const std::string none = refusal_of(fixture("with_library"), elsewhere.path());
    CHECK(has(none, elsewhere.path().string() + " has no libfixture_library.so.1, which the plugin needs"));
    CHECK(has(refusal_of(fixture("with_library"), fs::path(HOST_FIXTURES) / "stranger"), "has no libfixture_library"));
    fs::create_directories(elsewhere / "lib64");
    fs::create_symlink(library / "libfixture_library.so.1", elsewhere / "lib64/libfixture_library.so.1");
    CHECK(has(refusal_of(fixture("with_library"), elsewhere.path()), ": name " + (elsewhere / "lib64").string()));
    CHECK(refusal_of(fixture("with_library"), elsewhere / "lib64") == "");  // the link leads to the file that came
    std::ofstream(elsewhere / "libfixture_library.so.1") << "no library";
    CHECK(has(refusal_of(fixture("with_library"), elsewhere.path()), "/libfixture_library.so.1 "));
  }

  TEST_CASE("a variant's library that came from elsewhere is refused with both names") {
    const fs::path library = fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1";
    const TemporaryDirectory copies;
    fs::create_directories(copies / "longer-2");
    // Nobody told the loader of the directory, so the file of the plugin's RUNPATH came.
    fs::copy_file(library, copies / "longer-2/libfixture_library.so.1");
    const std::string words = refusal_of(fixture("with_library"), copies / "longer-2");
    INFO(words);
    CHECK(has(words, "libfixture_library.so.1 came from " + library.string() + ", not from the variant's directory " +
                         (copies / "longer-2").string() + ": another place came first"));
  }

  TEST_CASE("a plugin with DT_RPATH has no variants, and is told the cure") {
    const TemporaryDirectory variant;
    fs::copy_file(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1", variant / "libfixture_library.so.1");
    const std::string words = refusal_of(fixture("old_rpath"), variant.path());
    INFO(words);
    CHECK(has(words, "its DT_RPATH ("));
    CHECK(has(words, "-Wl,--enable-new-dtags"));
  }

  TEST_CASE("a variant's library is taken by LD_LIBRARY_PATH") {
    const TemporaryDirectory variant;
    const fs::path copy = variant / "libfixture_library.so.1";
    fs::copy_file(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1", copy);
    const TemporaryDirectory plugins;  // a copy whose RUNPATH still names the first library
    fs::copy_file(fixture("with_library"), plugins / "with_library.so");
    const std::string said =
        printed_by_host_load("LD_LIBRARY_PATH=" + variant.path().string(),
                             (plugins / "with_library.so").string() + " " + variant.path().string());
    INFO(said);
    CHECK(has(said, "loaded fixture\nfile " + copy.string() + " "));
  }

  TEST_CASE("an anchor in a file that the plugin does not need is refused with both names") {
    const std::string words = refusal_with("anchor-in-program");
    INFO(words);
    CHECK(has(words, fs::read_symlink("/proc/self/exe").string() + ", which the plugin does not need"));
    CHECK(has(words, "late"));
    CHECK(has(refusal_with("anchor-nowhere"), "lies in no loaded file"));
  }

  TEST_CASE("a stranger loaded first under a library's names is refused before start, with both names") {
    const fs::path stranger = fs::canonical(fs::path(HOST_FIXTURES) / "stranger" / "libstranger.so");
    const fs::path library = fs::canonical(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1");
    const std::string preload = "LD_PRELOAD=" + stranger.string() + " ASAN_OPTIONS=verify_asan_link_order=0";
    const std::string said = printed_by_host_load(preload, fixture("with_library").string());
    INFO(said);
    CHECK(has(said, "refused " + fixture("with_library").string()));
    CHECK(has(said, " would run " + stranger.string() + " in place of " + library.string()));
    CHECK(has(said, "unset LD_PRELOAD"));
    // The same where the library is linked into the plugin, which exports its names.
    CHECK(has(printed_by_host_load(preload, fixture("library_inside").string()),
              " would run " + stranger.string() + " in place of " + fixture("library_inside").string()));
    // A plugin that has nothing in common with the stranger is taken, and the report says that it was there.
    const std::string other = printed_by_host_load(preload, fixture("good").string());
    CHECK(has(other, "loaded fixture\n"));
    CHECK(has(other, "warning LD_PRELOAD is set (" + stranger.string() + ")"));
  }

  TEST_CASE("a function that the kernel's own code serves is no stranger's") {
    const tlsrig::host::ElfFile file(fixture("kernel_code"));
    REQUIRE(file.find_export("fixture_kernel_code"));
    const auto bindings = file.bindings();
    REQUIRE(std::any_of(bindings.begin(), bindings.end(),
                        [](const auto& binding) { return binding.symbol.name == "fixture_kernel_code"; }));
    CHECK(refusal_of(fixture("kernel_code")) == "");
    const auto* const kernel_code = reinterpret_cast<const void*>(::getauxval(AT_SYSINFO_EHDR));
    if (!kernel_code) {
      MESSAGE("of little worth here: this kernel brings no code of its own");
      return;
    }
    const tlsrig::host::LoadedFiles loaded;
    REQUIRE(loaded.find(kernel_code));
    CHECK(loaded.find(kernel_code)->path.empty());
  }

  TEST_CASE("what a loaded file needs is told from memory as its file tells it") {
    const Backend backend = Backend::load(fixture("with_library"));
    const tlsrig::host::LoadedFiles loaded;
    const tlsrig::host::LoadedFile* const plugin = loaded.find(&backend.table());
    REQUIRE(plugin);
    for (const tlsrig::host::LoadedFile* const file : {plugin, loaded.program()}) {
      const tlsrig::host::ElfFile on_disk(file->path);
      CHECK_FALSE(file->needed.empty());
      CHECK(file->needed == std::vector<std::string>(on_disk.needed().begin(), on_disk.needed().end()));
    }
    const auto own = tlsrig::host::own_files(loaded, *plugin);
    REQUIRE(own.size() == 2);
    CHECK(own[0] == plugin);
    CHECK(own[1]->soname == "libfixture_library.so.1");
  }

  TEST_CASE("a program whose file is gone or may not be read still tells a library's own files") {
    const TemporaryDirectory directory;
    fs::copy_file(HOST_LOAD, directory / "host_load");
    const std::string program = (directory / "host_load").string();
    const std::string said = output_of("exec 9<" + program + "; rm " + program + "; exec /proc/self/fd/9 " +
                                       fixture("with_library").string());
    INFO(said);
    CHECK(has(said, "loaded fixture\n"));
    CHECK(has(said, "/libfixture_library.so.1"));
  }

  TEST_CASE("the right library loaded first is no stranger") {
    const fs::path library = fs::canonical(fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1");
    const std::string said = printed_by_host_load(
        "LD_PRELOAD=" + library.string() + " ASAN_OPTIONS=verify_asan_link_order=0", fixture("with_library").string());
    INFO(said);
    CHECK(has(said, "loaded fixture\nfile " + library.string()));
  }

  TEST_CASE("a build without hardware AES is warned of") {
    const Variable wish("TLSRIG_FIXTURE", "no-aes");
    const Backend backend = Backend::load(fixture("good"));
    REQUIRE(backend.warnings().size() == 1);
    CHECK(has(backend.warnings().front(), "no hardware AES"));
  }
}

TEST_SUITE("host.contexts") {
  TEST_CASE("a context gets its options as the contract says, and is destroyed once") {
    const Backend backend = Backend::load(fixture("good"));
    ContextOptions options;
    options.ciphers = {"A", "B"};
    options.certificate_chain = "lists";
    forget_traces();
    {
      const Context context(backend, options);
      CHECK(context.get() != nullptr);
      CHECK(&context.backend() == &backend);
      CHECK_FALSE(has_trace("DESTROYED"));
    }
    CHECK(has_trace("DESTROYED"));
  }

  TEST_CASE("answers of create_context") {
    const Backend backend = Backend::load(fixture("good"));
    const auto make = [&](const char* wish) {
      return [&backend, wish] {
        ContextOptions options;
        options.certificate_chain = wish;
        const Context context(backend, options);
      };
    };
    CHECK(thrown_by<SetupError>(make("fails")) == "fixture: the file is not PEM");
    CHECK(thrown_by<Unsupported>(make("unsupported")) == "fixture: cannot choose groups");
    CHECK(has(thrown_by<SetupError>(make("odd")), "create_context answered 17"));
    CHECK(has(thrown_by<SetupError>(make("nothing")), "answered OK and gave nothing"));
    try {
      make("fails")();
    } catch (const SetupError& error) {
      CHECK(error.error.kind == TLSRIG_ERROR_CONFIG);
      CHECK(error.error.code == 42);
      CHECK(error.error.alert == -1);
    }
  }

  TEST_CASE("a field that the plugin is too old to know is UNSUPPORTED without a call, and harmless when it is 0") {
    const Backend old = Backend::load(fixture("old_config"));
    CHECK_NOTHROW(Context(old, ContextOptions{}));
    ContextOptions options;
    options.release_buffers = TLSRIG_ON;  // the last one that it knows
    CHECK_NOTHROW(Context(old, options));
    options.read_ahead = TLSRIG_ON;
    options.certificate_chain = "fails";  // would be the answer if it were called
    CHECK(thrown_by<Unsupported>([&] { Context(old, options); }) == "fixture: read_ahead is newer than this plugin");
    CHECK_NOTHROW(Context(Backend::load(fixture("good")), [] {
      ContextOptions all;
      all.read_ahead = TLSRIG_ON;
      return all;
    }()));
  }

  TEST_CASE("a session goes through the table and is closed once, also when it was moved") {
    const Backend backend = Backend::load(fixture("good"));
    const Context context(backend, {});
    tlsrig_wire wire{};
    const tlsrig_transport transport{TLSRIG_WIRE, -1, &wire};
    tlsrig_error error{};
    forget_traces();
    {
      Session first(context, transport, nullptr, error);
      Session session(std::move(first));
      CHECK(session.handshake() == TLSRIG_OK);
      std::uint8_t byte = 0;
      std::size_t size = 0;
      CHECK(session.read(&byte, 1, size) == TLSRIG_OK);
      CHECK(size == 1);
      CHECK(byte == 'r');
      CHECK(session.write(&byte, 1, size) == TLSRIG_OK);
      CHECK(session.shutdown() == TLSRIG_OK);
      const tlsrig_facts facts = session.describe();
      CHECK(facts.protocol == TLSRIG_TLS_1_3);
      CHECK(std::string_view(facts.cipher) == "TLS_AES_128_GCM_SHA256");
      CHECK(&session.error() == &error);
      CHECK(error.alert == -1);
    }
    CHECK(std::string_view(std::getenv("TLSRIG_FIXTURE_CLOSED")) == "1");
    CHECK(thrown_by<SetupError>([&] { Session(context, transport, "fails", error); }) ==
          "fixture: no memory for a session");
    CHECK(error.kind == TLSRIG_ERROR_SYSTEM);
    CHECK(std::string_view(std::getenv("TLSRIG_FIXTURE_CLOSED")) == "1");
  }
}

TEST_SUITE("host.elf") {
  TEST_CASE("a library is read as readelf reads it") {
    for (const fs::path& path : {fixture("with_library"), fixture("throws"),
                                 fs::path(HOST_FIXTURES) / "library" / "libfixture_library.so.1"}) {
      const tlsrig::host::ElfFile file(path);
      const std::string dynamic = output_of("readelf -dW " + path.string());
      for (const std::string_view needed : file.needed())
        CHECK(has(dynamic, "Shared library: [" + std::string(needed) + "]"));
      if (!file.soname().empty()) CHECK(has(dynamic, "Library soname: [" + std::string(file.soname()) + "]"));
      if (!file.runpath().empty()) CHECK(has(dynamic, "Library runpath: [" + std::string(file.runpath()) + "]"));
      const std::string lines = output_of("readelf --dyn-syms -W " + path.string() +
                                          " | awk '$5 != \"LOCAL\" && $7 != \"UND\" && $7 != \"Ndx\" && $8 != \"\" "
                                          "{print $8}' | sort");
      std::vector<std::string> names;
      for (const auto& symbol : file.exports()) names.emplace_back(symbol.name);
      std::sort(names.begin(), names.end());
      std::string expected;
      for (const std::string& name : names) expected += name + "\n";
      CHECK_FALSE(expected.empty());
      CHECK(expected == lines);
      CHECK(has(output_of("readelf -n " + path.string()), file.build_id()));
    }
    CHECK(tlsrig::host::ElfFile("/proc/self/exe").is_program());
  }

  TEST_CASE("bindings are the named relocations") {
    const tlsrig::host::ElfFile file(fixture("with_library"));
    const auto bindings = file.bindings();
    const auto is_call = [](const auto& binding) { return binding.symbol.name == "fixture_library_call"; };
    CHECK(std::any_of(bindings.begin(), bindings.end(), is_call));
  }
}
