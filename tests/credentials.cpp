// Certificates: what is in them, how they are kept, and what goes wrong. The openssl command is the judge.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/credentials/credentials.hpp>

#include "support/small_file_system.hpp"
#include "support/temporary.hpp"

namespace fs = std::filesystem;
using tlsrig::credentials::Credentials;
using tlsrig::credentials::CredentialsError;
using tlsrig::credentials::ensure;
using tlsrig::credentials::ensure_untrusted;
using tlsrig::tests::TemporaryDirectory;
using tlsrig::tests::Variable;

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What `openssl ARGUMENTS` prints, both streams; `status` is its exit status.
std::string openssl(const std::string& arguments, int* status = nullptr) {
  std::string text;
  std::FILE* const pipe = ::popen(("openssl " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("popen");
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  const int ended = ::pclose(pipe);
  if (status) *status = WEXITSTATUS(ended);
  return text;
}

bool succeeds(const std::string& arguments) {
  int status = -1;
  const std::string said = openssl(arguments, &status);
  INFO(said);
  return status == 0;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::vector<fs::path> files_of(const Credentials& made) {
  return {made.server_chain, made.server_key, made.client_chain, made.client_key, made.trust};
}

bool fits(const fs::path& chain, const fs::path& key) {
  const std::string certified = openssl("x509 -noout -pubkey -in " + chain.string());
  return has(certified, "BEGIN PUBLIC KEY") && certified == openssl("pkey -pubout -in " + key.string());
}

bool verifies(const fs::path& chain, const fs::path& trust, const std::string& purpose) {
  return succeeds("verify -x509_strict -purpose " + purpose + " -CAfile " + trust.string() + " -untrusted " +
                  chain.string() + " " + chain.string());
}

bool good(const Credentials& made) {
  return verifies(made.server_chain, made.trust, "sslserver") && verifies(made.client_chain, made.trust, "sslclient") &&
         fits(made.server_chain, made.server_key) && fits(made.client_chain, made.client_key);
}

template <class Function>
std::string error_of(Function function) {
  try {
    function();
  } catch (const CredentialsError& error) {
    return error.what();
  }
  return {};
}

// An `openssl` in front of the real one, which notes each run in `log` and then does `body`.
std::string stand_in(const fs::path& directory, const fs::path& log, const std::string& body) {
  const fs::path script = directory / "openssl";
  write_file(script, "#!/bin/sh\necho run >> " + log.string() + "\n" + body + "\n");
  fs::permissions(script, fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  return directory.string() + ":" + std::getenv("PATH");
}

std::string real_openssl() {
  std::string path(std::getenv("PATH"));
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / "openssl";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    begin = end + 1;
  }
  throw std::runtime_error("no openssl in PATH");
}

std::ptrdiff_t count_lines(const fs::path& path) {
  const std::string text = read_file(path);
  return std::count(text.begin(), text.end(), '\n');
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_SUITE("credentials.contents") {
  TEST_CASE("each kind verifies, fits its names and is valid for ten years") {
    const struct {
      const char *kind, *key, *key_size;
    } kinds[] = {{"ecdsa-p256", "id-ecPublicKey", "prime256v1"},
                 {"rsa-2048", "rsaEncryption", "(2048 bit)"},
                 {"rsa-3072", "rsaEncryption", "(3072 bit)"}};
    const TemporaryDirectory cache;
    for (const auto& [kind, key, key_size] : kinds) {
      INFO("kind ", std::string(kind));
      const Credentials made = ensure(kind, cache.path());
      CHECK(good(made));
      CHECK_FALSE(verifies(made.server_chain, made.trust, "sslclient"));
      CHECK_FALSE(verifies(made.client_chain, made.trust, "sslserver"));
      CHECK(read_file(made.server_key) != read_file(made.client_key));

      const std::string leaf = "x509 -noout -in " + made.server_chain.string();
      for (const char* name : {tlsrig::credentials::server_name, "localhost"})
        CHECK(has(openssl(leaf + " -checkhost " + name), "does match"));
      CHECK(has(openssl(leaf + " -checkhost other.tlsrig.test"), "does NOT match"));
      for (const char* address : {"127.0.0.1", "::1"}) CHECK(has(openssl(leaf + " -checkip " + address), "does match"));
      CHECK(has(openssl(leaf + " -checkip 127.0.0.2"), "does NOT match"));

      for (const fs::path& file : {made.server_chain, made.client_chain, made.trust}) {
        const std::string certificate = "x509 -noout -in " + file.string();
        CHECK(succeeds(certificate + " -checkend " + std::to_string(9 * 365 * 86400)));
        CHECK_FALSE(succeeds(certificate + " -checkend " + std::to_string(10 * 366 * 86400)));
        const std::string text = openssl(certificate + " -text");
        CHECK(has(text, key));
        CHECK(has(text, key_size));
        CHECK((has(text, "sha256WithRSAEncryption") || has(text, "ecdsa-with-SHA256")));
      }
      // The chain is the leaf and the intermediate; the root is not sent.
      const std::string chain = read_file(made.server_chain);
      CHECK(has(chain.substr(chain.find("END CERTIFICATE")), "BEGIN CERTIFICATE"));
      CHECK(names_in(made.trust.parent_path()) == std::vector<std::string>{"client-chain.pem", "client-key.pem",
                                                                           "manifest", "root.pem", "server-chain.pem",
                                                                           "server-key.pem"});
    }
  }

  TEST_CASE("the expired set: the leaves alone are past their end, and everything else is good") {
    const TemporaryDirectory directory;
    const Credentials expired = tlsrig::credentials::ensure_expired("ecdsa-p256", directory / "a $ 'cache'");
    write_file(directory / "root", read_file(expired.trust));  // the command is given no odd names
    for (const auto& from : {expired.server_chain, expired.client_chain}) {
      const std::string chain = (directory / "chain").string();
      write_file(chain, read_file(from));
      const std::string sought =
          " -x509_strict -CAfile " + (directory / "root").string() + " -untrusted " + chain + " " + chain;
      CHECK(has(openssl("verify" + sought), "error 10 at 0 depth lookup: certificate has expired"));
      CHECK(succeeds("verify -no_check_time" + sought));
    }
    CHECK(names_in(expired.trust.parent_path()).size() == 6);  // four of the leaves, the root, the manifest
  }

  TEST_CASE("the large set is good, and its server certificate is larger than 40 KiB") {
    const TemporaryDirectory directory;
    const Credentials large = tlsrig::credentials::ensure_large("ecdsa-p256", directory / "cache");
    CHECK(good(large));
    const std::string der = (directory / "server.der").string();
    CHECK(succeeds("x509 -in " + large.server_chain.string() + " -outform DER -out " + der));
    CHECK(fs::file_size(der) > 40 * 1024);
  }

  TEST_CASE("the untrusted set is good in itself and unknown to the trusted one") {
    const TemporaryDirectory cache;
    const Credentials trusted = ensure("ecdsa-p256", cache.path());
    const Credentials untrusted = ensure_untrusted("ecdsa-p256", cache.path());
    CHECK(good(untrusted));
    CHECK_FALSE(verifies(untrusted.server_chain, trusted.trust, "sslserver"));
    CHECK_FALSE(verifies(trusted.server_chain, untrusted.trust, "sslserver"));
    const auto subject = [](const fs::path& root) { return openssl("x509 -noout -subject -in " + root.string()); };
    CHECK(subject(trusted.trust) != subject(untrusted.trust));
  }
}

TEST_SUITE("credentials.cache") {
  TEST_CASE("keys are for their owner alone, whatever the umask says") {
    for (const mode_t mask : {0u, 0177u}) {
      const TemporaryDirectory directory;
      const mode_t before = ::umask(mask);
      const Credentials made = ensure("ecdsa-p256", directory / "a" / "cache");
      ::umask(before);
      for (const fs::path& file : files_of(made)) CHECK(mode_of(file) == 0600);
      CHECK(mode_of(made.trust.parent_path()) == 0700);
      CHECK(mode_of(directory / "a" / "cache") == 0700);
    }
  }

  TEST_CASE("a warm cache gives the same files and starts no command") {
    const TemporaryDirectory cache, nothing;
    const Credentials made = ensure("ecdsa-p256", cache.path());
    const std::string key = read_file(made.server_key);
    const Variable path("PATH", nothing.path().string());
    const Credentials again = ensure("ecdsa-p256", cache.path());
    CHECK(files_of(again) == files_of(made));
    CHECK(read_file(again.server_key) == key);
    CHECK(has(error_of([&] { ensure_untrusted("ecdsa-p256", cache.path()); }), "is not in PATH"));
  }

  TEST_CASE("damage of any file is seen and the set made anew") {
    const TemporaryDirectory cache;
    const Credentials made = ensure("ecdsa-p256", cache.path());
    std::vector<fs::path> files = files_of(made);
    files.push_back(made.trust.parent_path() / "manifest");
    for (const fs::path& file : files)
      for (const std::string how : {"removed", "emptied", "one byte changed", "longer"}) {
        INFO(file.string(), " ", how);
        const std::string bytes = read_file(file), key = read_file(made.server_key);
        std::string changed = bytes;
        changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
        if (how == "removed") fs::remove(file);
        if (how == "emptied") write_file(file, "");
        if (how == "one byte changed") write_file(file, changed);
        if (how == "longer") write_file(file, bytes + "\n");
        ensure("ecdsa-p256", cache.path());
        CHECK(read_file(made.server_key) != key);
        CHECK(fits(made.server_chain, made.server_key));
      }
    CHECK(good(made));
  }

  TEST_CASE("a set that others can read, or that is no directory, is made anew") {
    const TemporaryDirectory cache;
    const Credentials made = ensure("ecdsa-p256", cache.path());
    const fs::path set = made.trust.parent_path();
    const auto is_made_anew = [&] {
      const std::string key = read_file(made.server_key);
      ensure("ecdsa-p256", cache.path());
      return read_file(made.server_key) != key && mode_of(set) == 0700 && mode_of(made.server_key) == 0600;
    };
    fs::permissions(made.server_key, fs::perms::others_read, fs::perm_options::add);
    CHECK(is_made_anew());
    fs::permissions(set, fs::perms::group_all, fs::perm_options::add);
    CHECK(is_made_anew());
    fs::remove_all(set);
    write_file(set, "not a directory");
    CHECK(is_made_anew());
    fs::rename(set, cache / "elsewhere");
    fs::create_directory_symlink(cache / "elsewhere", set);
    CHECK(is_made_anew());
  }

  TEST_CASE("a set near its end, or from the future, is made anew") {
    const TemporaryDirectory cache;
    const Credentials made = ensure("ecdsa-p256", cache.path());
    const auto stays_when_valid = [&](std::int64_t from, std::int64_t until) {
      const fs::path manifest = made.trust.parent_path() / "manifest";
      std::string text = read_file(manifest);
      const std::size_t begin = text.find("valid "), end = text.find('\n', begin);
      const std::int64_t now = std::time(nullptr);
      text.replace(begin, end - begin, "valid " + std::to_string(now + from) + " " + std::to_string(now + until));
      write_file(manifest, text);
      const std::string key = read_file(made.server_key);
      ensure("ecdsa-p256", cache.path());
      return read_file(made.server_key) == key;
    };
    constexpr std::int64_t day = 86400;
    CHECK(stays_when_valid(-100 * day, 2 * day));
    CHECK_FALSE(stays_when_valid(-100 * day, day - 60));
    CHECK_FALSE(stays_when_valid(-100 * day, -day));
    CHECK_FALSE(stays_when_valid(day, 100 * day));
    CHECK(stays_when_valid(0, 3653 * day));
  }

  TEST_CASE("ten processes at once: one makes, all have the same set, nothing is left over") {
    const TemporaryDirectory cache, shims;
    const auto runs_of = [&](const fs::path& where, int processes) {
      const fs::path log = shims / ("log" + std::to_string(processes));
      const Variable path("PATH", stand_in(shims.path(), log, "exec " + real_openssl() + " \"$@\""));
      std::vector<pid_t> children;
      for (int i = 0; i < processes; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
          const std::string error = error_of([&] { ensure("ecdsa-p256", where); });
          if (!error.empty()) std::fprintf(stderr, "%s\n", error.c_str());
          ::_exit(error.empty() ? 0 : 1);
        }
        children.push_back(child);
      }
      for (const pid_t child : children) {
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
      }
      return count_lines(log);
    };
    const auto runs_of_one = runs_of(cache / "one", 1);
    CHECK(runs_of_one > 0);
    CHECK(runs_of(cache / "ten", 10) == runs_of_one);
    CHECK(good(ensure("ecdsa-p256", cache / "ten")));
    CHECK(names_in(cache / "ten") == std::vector<std::string>{".ecdsa-p256.lock", "ecdsa-p256"});
  }

  TEST_CASE("what a killed maker left is cleared away") {
    const TemporaryDirectory cache;
    fs::create_directory(cache / ".ecdsa-p256.new-abcdef");
    write_file(cache / ".ecdsa-p256.new-abcdef" / "root-key.pem", "half a key");
    ensure("ecdsa-p256", cache.path());
    CHECK(names_in(cache.path()) == std::vector<std::string>{".ecdsa-p256.lock", "ecdsa-p256"});
  }

  TEST_CASE("the default place") {
    const Variable own("TLSRIG_CACHE_DIR", "/a/own"), base("XDG_CACHE_HOME", "/a/base"), home("HOME", "/a/home");
    CHECK(tlsrig::credentials::default_cache_directory() == "/a/own");
    const Variable no_own("TLSRIG_CACHE_DIR", "");
    CHECK(tlsrig::credentials::default_cache_directory() == "/a/base/tlsrig");
    const Variable relative("XDG_CACHE_HOME", "base");  // which the XDG specification tells to ignore
    CHECK(tlsrig::credentials::default_cache_directory() == "/a/home/.cache/tlsrig");
    const Variable no_base("XDG_CACHE_HOME", std::nullopt), no_home("HOME", std::nullopt);
    CHECK(has(error_of([] { tlsrig::credentials::default_cache_directory(); }), "set TLSRIG_CACHE_DIR"));
    const Variable here("TLSRIG_CACHE_DIR", "here");
    CHECK(tlsrig::credentials::default_cache_directory() == fs::current_path() / "here");
  }
}

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
