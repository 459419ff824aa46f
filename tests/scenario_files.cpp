// Certificate files of one's own: whether they can be read is told before anything runs.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

// root may read everything: while the object lives, the process is somebody who may not.
class Unprivileged {
 public:
  Unprivileged() { REQUIRE((was_ != 0 || ::seteuid(nobody) == 0)); }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() { CHECK(::seteuid(was_) == 0); }

 private:
  static constexpr ::uid_t nobody = 65534;
  ::uid_t was_ = ::geteuid();
};

// A directory with c.pem, k.pem and t.pem, each with something in it.
class Pki {
 public:
  Pki() {
    for (const std::string name : {"c.pem", "k.pem", "t.pem"}) {
      directory_.write(name, "PEM");
    }
  }

  const Directory& directory() const { return directory_; }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  // chain stands in line 5, key in 6, trust in 7.
  std::filesystem::path scenario(const std::string& chain, const std::string& key, const std::string& trust) const {
    return directory_.write(
        "own.toml", echo_head() + fmt::format("[tls.certificate]\nchain = \"{}\"\nkey   = \"{}\"\ntrust = \"{}\"\n",
                                              chain, key, trust));
  }

 private:
  Directory directory_;
};

Diagnostic only_fault(const std::filesystem::path& file, const Overrides& overrides = {}) {
  const Outcome outcome = read_scenario(file, overrides, known());
  const std::string told = all_text(outcome);
  CAPTURE(told);
  CHECK_FALSE(outcome.plan.has_value());
  REQUIRE(outcome.diagnostics.size() == 1);
  return outcome.diagnostics[0];
}

}  // namespace

TEST_CASE("files that are there are good, links to them too") {
  const Pki pki;
  std::filesystem::create_symlink("k.pem", pki.path("link.pem"));
  const Outcome outcome = read_scenario(pki.scenario("c.pem", "link.pem", pki.path("t.pem")), {}, known());
  CHECK_MESSAGE(outcome.plan.has_value(), all_text(outcome));
}

TEST_CASE("a missing file is told with file, line, column and key") {
  const Pki pki;
  const auto file = pki.scenario("c.pem", "no/k.pem", "t.pem");
  CHECK(only_fault(file).what() == file.string() + ":6:9: tls.certificate.key: \"" + pki.path("no/k.pem") +
                                       "\" cannot be opened: No such file or directory; needed: a PEM file; its path "
                                       "is relative to the scenario file");
}

TEST_CASE("every file of a certificate is judged, each in its own way") {
  const Pki pki;
  pki.directory().write("empty.pem", "");
  std::filesystem::create_symlink("gone.pem", pki.path("dangling.pem"));
  REQUIRE(::mkfifo(pki.path("pipe.pem").c_str(), 0600) == 0);
  const Outcome outcome = read_scenario(pki.scenario(".", "empty.pem", "pipe.pem"), {}, known());
  const std::string told = all_text(outcome);
  CAPTURE(told);
  REQUIRE(outcome.diagnostics.size() == 3);
  CHECK(told.find(":5:9: tls.certificate.chain: \"" + pki.path("") + "\" is a directory") != std::string::npos);
  CHECK(told.find(":6:9: tls.certificate.key: \"" + pki.path("empty.pem") + "\" is empty") != std::string::npos);
  CHECK(told.find(":7:9: tls.certificate.trust: \"" + pki.path("pipe.pem") + "\" is no regular file") !=
        std::string::npos);
  CHECK(only_fault(pki.scenario("c.pem", "k.pem", "dangling.pem")).line == 7);
  CHECK(only_fault(pki.scenario("c.pem/x", "k.pem", "t.pem")).what().find("Not a directory") != std::string::npos);
}

TEST_CASE("a file that may not be read") {
  const Pki pki;
  REQUIRE(::chmod(pki.directory().path().c_str(), 0755) == 0);
  const auto file = pki.scenario("c.pem", "k.pem", "t.pem");
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  for (const std::string name : {"c.pem", "k.pem", "t.pem"}) {
    REQUIRE(::chmod(pki.path(name).c_str(), name == "k.pem" ? 0 : 0644) == 0);
  }
  const Unprivileged unprivileged;
  CHECK(only_fault(file).what().find(":6:9: tls.certificate.key: \"" + pki.path("k.pem") +
                                     "\" cannot be opened: Permission denied") != std::string::npos);
}

TEST_CASE("files of an axis and of a flag") {
  const Pki pki;
  const auto matrix = pki.directory().write(
      "matrix.toml",
      echo_head() +
          "[matrix]\n\"tls.certificate\" = [\"rsa-2048\", { chain = \"c.pem\", key = \"k.pem\", trust = \"none\" }]\n");
  const Diagnostic of_axis = only_fault(matrix);
  CHECK(of_axis.line == 5);
  CHECK(of_axis.column == 76);
  CHECK(of_axis.key == "tls.certificate.trust");

  Overrides overrides;
  overrides.settings = {{"tls.certificate.trust", "/none.pem"}};
  CHECK(only_fault(pki.scenario("c.pem", "k.pem", "t.pem"), overrides).what() ==
        "-s tls.certificate.trust=/none.pem: tls.certificate.trust: \"/none.pem\" cannot be opened: No such file or "
        "directory; needed: a PEM file; its path is relative to the working directory");
}

TEST_CASE("plaintcp has no certificate: what is not used is not asked for") {
  const Pki pki;
  Overrides overrides;
  overrides.backends = {"plaintcp"};
  CHECK(read_scenario(pki.scenario("none", "none", "none"), overrides, known()).plan.has_value());
}
