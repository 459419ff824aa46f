// Certificates: what is in them, and how they are kept.
#include <doctest/doctest.h>

#include <ctime>
#include <optional>

#include "credentials_support.hpp"
#include "support/temporary.hpp"

using namespace credentials_test;
using tlsrig::credentials::ensure;
using tlsrig::credentials::ensure_untrusted;
using tlsrig::tests::TemporaryDirectory;
using tlsrig::tests::Variable;

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

      for (const fs::path& chain : {made.server_chain, made.client_chain}) {
        const std::string usage = openssl("x509 -noout -ext keyUsage -in " + chain.string());
        CHECK(has(usage, "Digital Signature"));
        CHECK(has(usage, "Key Encipherment") == has(kind, "rsa"));  // the key exchange of static RSA suites
      }

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

  TEST_CASE("a trust file of many roots: so many, all different, and the one that matters last") {
    const TemporaryDirectory cache;
    for (const unsigned anchors : {2u, 100u}) {
      const Credentials made = ensure("rsa-2048", anchors, cache.path());
      CHECK(good(made));
      const std::string text = read_file(made.trust), begin = "-----BEGIN CERTIFICATE-----";
      std::vector<fs::path> roots;
      for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
        roots.push_back(cache / ("root-" + std::to_string(roots.size())));
        write_file(roots.back(), text.substr(at, text.find(begin, at + 1) - at));
      }
      REQUIRE(roots.size() == anchors);
      CHECK(verifies(made.server_chain, roots.back(), "sslserver"));
      std::string others;
      for (std::size_t i = 0; i + 1 < roots.size(); ++i) others += read_file(roots[i]);
      write_file(cache / "others", others);
      CHECK_FALSE(verifies(made.server_chain, cache / "others", "sslserver"));

      std::vector<std::string> told;  // what libraries may tell anchors apart by: each must be the only one of its kind
      for (const char* what : {"-subject", "-serial", "-pubkey", "-ext subjectKeyIdentifier"}) {
        INFO(std::string(what));
        told.clear();
        for (std::size_t i = 0; i < roots.size(); i += i < 3 ? 1 : 19)  // 0, 1, 2, 3, 22, ...
          told.push_back(openssl("x509 -noout " + std::string(what) + " -in " + roots[i].string()));
        told.push_back(openssl("x509 -noout " + std::string(what) + " -in " + roots.back().string()));
        if (anchors == 2) told.pop_back();  // it is the second
        std::sort(told.begin(), told.end());
        CHECK(std::adjacent_find(told.begin(), told.end()) == told.end());
      }
      for (const fs::path& root : roots) fs::remove(root);
      CHECK(succeeds("x509 -noout -checkend " + std::to_string(9 * 365 * 86400) + " -in " + made.trust.string()));
      CHECK(names_in(made.trust.parent_path()).size() == 6);
    }
    CHECK(files_of(ensure("rsa-2048", 1, cache.path())) == files_of(ensure("rsa-2048", cache.path())));
    CHECK(has(error_of([&] { ensure("rsa-2048", 0, cache.path()); }), "0 certificates"));
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

  TEST_CASE("a set of an earlier version, whose certificates look otherwise, is made anew") {
    const TemporaryDirectory cache;
    const Credentials made = ensure("rsa-2048", cache.path());
    const fs::path manifest = made.trust.parent_path() / "manifest";
    const std::string text = read_file(manifest), key = read_file(made.server_key);
    REQUIRE(text.starts_with("tlsrig-credentials 2\n"));
    std::string earlier = text;
    earlier[std::string_view("tlsrig-credentials ").size()] = '1';
    write_file(manifest, earlier);
    ensure("rsa-2048", cache.path());
    CHECK(read_file(made.server_key) != key);
    CHECK(read_file(manifest).starts_with("tlsrig-credentials 2\n"));
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
    const auto runs_of = [&](const fs::path& where, int processes, unsigned anchors = 1) {
      const fs::path log = shims / ("log" + std::to_string(processes) + "-" + std::to_string(anchors));
      const Variable path("PATH", stand_in(shims.path(), log, "exec " + real_openssl() + " \"$@\""));
      std::vector<pid_t> children;
      for (int i = 0; i < processes; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
          const std::string error = error_of([&] { ensure("ecdsa-p256", anchors, where); });
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

    CHECK(runs_of(cache / "anchors", 2, 5) == runs_of_one + 4);  // one more for each other root
    CHECK(runs_of(cache / "anchors", 1, 5) == 0);                // the set is kept
    CHECK(good(ensure("ecdsa-p256", 5, cache / "anchors")));
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
