// Certificates that cannot be made or kept: each failure is named with its cure, and leaves no half of a set.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <optional>

#include "credentials_support.hpp"
#include "support/small_file_system.hpp"
#include "support/temporary.hpp"

using namespace credentials_test;
using tlsrig::credentials::ensure;
using tlsrig::tests::TemporaryDirectory;
using tlsrig::tests::Variable;

TEST_SUITE("credentials.failures") {
  TEST_CASE("the user's OpenSSL configuration changes nothing") {
    const TemporaryDirectory directory;
    write_file(directory / "openssl.cnf", "openssl_conf = broken\n[broken\nproviders = none\n");
    const Variable configuration("OPENSSL_CONF", (directory / "openssl.cnf").string());
    const Credentials made = ensure("ecdsa-p256", directory / "cache");
    const Variable none("OPENSSL_CONF", std::nullopt);
    CHECK(good(made));
  }

  TEST_CASE("a library preloaded into this process is not preloaded into the command") {
    const TemporaryDirectory directory;
    const Variable path("PATH", stand_in(directory.path(), directory / "log",
                                         "test -z \"$LD_PRELOAD\" || exit 9\nexec " + real_openssl() + " \"$@\""));
    const Variable preload("LD_PRELOAD", "libm.so.6");
    CHECK(error_of([&] { ensure("ecdsa-p256", directory / "cache"); }) == "");
  }

  TEST_CASE("an unknown kind is refused with the known ones, and touches nothing") {
    const TemporaryDirectory cache;
    for (const char* kind : {"rsa-1024", "", "../ecdsa-p256"}) {
      const std::string words = error_of([&] { ensure(kind, cache.path()); });
      CHECK(has(words, "`" + std::string(kind) + "`"));
      CHECK(has(words, "ecdsa-p256, rsa-2048, rsa-3072"));
    }
    CHECK(names_in(cache.path()).empty());
  }

  TEST_CASE("no openssl command: the package is named") {
    const TemporaryDirectory directory;
    const Variable path("PATH", directory.path().string());
    const std::string words = error_of([&] { ensure("ecdsa-p256", directory / "cache"); });
    CHECK(has(words, "the command `openssl` is not in PATH (" + directory.path().string() + ")"));
    CHECK(has(words, "install the package `openssl`"));
  }

  TEST_CASE("a command that fails or dies is named with what it printed, and leaves no set") {
    const TemporaryDirectory directory;
    const auto words_with = [&](const std::string& body) {
      const Variable path("PATH", stand_in(directory.path(), directory / "log", body));
      return error_of([&] { ensure("ecdsa-p256", directory / "cache"); });
    };
    const std::string failed = words_with("echo boom >&2; exit 3");
    CHECK(has(failed, "`openssl genpkey -algorithm EC "));
    CHECK(has(failed, "failed with status 3; it printed: boom"));
    CHECK(has(words_with("kill -9 $$"), "was ended by signal 9; it printed nothing"));
    CHECK(has(words_with("exit 0"), "cannot read"));
    const std::string half = words_with("for last; do :; done; echo half > \"$last\"");
    CHECK(has(half, ".pem (5 bytes) does not hold a whole certificate"));
    CHECK(names_in(directory / "cache") == std::vector<std::string>{".ecdsa-p256.lock"});
  }

  TEST_CASE("a relative place under a directory that was removed") {
    const TemporaryDirectory directory;
    const fs::path before = fs::current_path();
    fs::create_directory(directory / "gone");
    fs::current_path(directory / "gone");
    fs::remove(directory / "gone");
    const std::string words = error_of([] { ensure("ecdsa-p256", "cache"); });
    fs::current_path(before);
    INFO(words);
    CHECK(has(words, "cannot tell where cache is"));
    CHECK(has(words, "No such file or directory; set TLSRIG_CACHE_DIR to an absolute path"));
  }

  TEST_CASE("a place that cannot be written is named with the reason and the cure") {
    const TemporaryDirectory directory;
    write_file(directory / "file", "");
    for (const fs::path& place : {directory / "file", directory / "file" / "cache"}) {
      const std::string words = error_of([&] { ensure("ecdsa-p256", place); });
      INFO(words);
      CHECK(has(words, place.string() + ": Not a directory"));
      CHECK(has(words, "set TLSRIG_CACHE_DIR"));
    }
  }

  TEST_CASE("a full disk is named as such, with the cure, and leaves no set") {
    const TemporaryDirectory directory;
    const fs::path cache = directory / "cache";
    const auto words = test_support::on_small_file_system(directory.path(), "64k", [&] {
      std::string said = error_of([&] {  // the command fills the disk with its own files
        write_file(directory / "most", std::string(52 * 1024, 'x'));
        ensure("ecdsa-p256", cache);
      });
      fs::remove(directory / "most");
      said += "\n" + error_of([&] {
                test_support::fill(directory.path());
                ensure("ecdsa-p256", cache);
              });
      return said + (names_in(cache) == std::vector<std::string>{".ecdsa-p256.lock"} ? "" : "\nsomething was left");
    });
    if (!words) {
      MESSAGE("not judged: this process may not mount a file system");
      return;
    }
    INFO(*words);
    const std::string expected = "cannot write test certificates in " + cache.string() +
                                 ": No space left on device; free space there, or set TLSRIG_CACHE_DIR to a directory "
                                 "on another file system (what failed: ";
    CHECK(words->starts_with(expected));
    CHECK(has(*words, "\n" + expected));
    CHECK_FALSE(has(*words, "something was left"));
  }

  TEST_CASE("a limit on the size of files is named as such") {
    const TemporaryDirectory cache;
    for (const rlim_t bytes : {512u, 1600u}) {  // less than the first file; less than the first key
      rlimit before{};
      REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
      auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{bytes, before.rlim_max};
      REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
      const std::string words = error_of([&] { ensure("rsa-2048", cache.path()); });
      ::setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, handler);
      INFO(words);
      CHECK(has(words, cache.path().string() + ": File too large; raise the limit on the size of files (`ulimit -f`)"));
      CHECK(names_in(cache.path()) == std::vector<std::string>{".rsa-2048.lock"});
    }
  }

  TEST_CASE("who may not write is told so, and a good set that cannot be written is used") {
    const TemporaryDirectory directory;
    fs::permissions(directory.path(), fs::perms::all);
    fs::create_directory(directory / "closed");
    fs::permissions(directory / "closed",
                    fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
    fs::create_directory(directory / "hidden");
    fs::permissions(directory / "hidden", fs::perms::none);
    const pid_t child = ::fork();
    if (child == 0) {  // as a user who is not root, whom nothing is refused
      if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
      const std::string words = error_of([&] { ensure("ecdsa-p256", directory / "closed"); });
      if (!has(words, (directory / "closed").string()) || !has(words, "Permission denied") ||
          !has(words, "set TLSRIG_CACHE_DIR"))
        ::_exit(1);
      // As in the home directory of another user, where even looking is refused.
      const std::string hidden = error_of([&] { ensure("ecdsa-p256", directory / "hidden" / ".cache" / "tlsrig"); });
      if (!has(hidden, "cannot make the directory " + (directory / "hidden" / ".cache").string() +
                           ": Permission denied; test certificates are kept there: set TLSRIG_CACHE_DIR"))
        ::_exit(5);
      const fs::path cache = directory / "open";
      if (!error_of([&] { ensure("ecdsa-p256", cache); }).empty()) ::_exit(2);
      fs::permissions(cache, fs::perms::owner_read | fs::perms::owner_exec);
      const bool used = error_of([&] { ensure("ecdsa-p256", cache); }).empty();
      fs::permissions(cache, fs::perms::owner_all);
      ::_exit(used ? 0 : 4);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
}
