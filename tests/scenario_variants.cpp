// [variant.NAME] and --variant: names that stand for backends, and what is wrong with them.
#include <doctest/doctest.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

using Strings = std::vector<std::string>;

// A directory with an empty one in it, "build", and scenarios beside it.
class Room {
 public:
  Room() { std::filesystem::create_directories(build()); }
  std::filesystem::path build() const { return directory_.path() / "build"; }
  Outcome read(const std::string& text, const Overrides& overrides = {}) const {
    return read_scenario(directory_.write("test.toml", text), overrides, known());
  }
  ScenarioPlan plan(const std::string& text, const Overrides& overrides = {}) const {
    Outcome outcome = read(text, overrides);
    REQUIRE_MESSAGE(outcome.plan.has_value(), all_text(outcome));
    return std::move(*outcome.plan);
  }
  Directory directory_;
};

const std::string table = "[variant.tuned]\nplugin = \"openssl\"\nlibrary_directory = \"build\"\n";

std::string head(const std::string& backends) {
  return "schema = 1\nworkload = \"echo\"\nbackends = [" + backends + "]\n";
}

Overrides flags(const Strings& variants) {
  Overrides overrides;
  overrides.variants = variants;
  return overrides;
}

}  // namespace

TEST_CASE("a variant of the file stands wherever a backend's name may") {
  const Room place;
  ScenarioPlan plan = place.plan(head("\"openssl\", \"tuned\", \"plaintcp\"") + "baseline = \"tuned\"\n" + table);
  REQUIRE(plan.cells.size() == 1);
  CHECK(arm_ids(plan.cells[0]) == Strings{"openssl", "tuned", "plaintcp", "tuned#2"});
  CHECK(plan.cells[0].arms[1].settings.server.backend == "tuned");
  REQUIRE(plan.variants.size() == 1);
  CHECK(plan.variants[0].plugin == "openssl");
  CHECK(plan.variants[0].library_directory == place.build());
  CHECK_FALSE(plan.variants[0].by_flag);
  CHECK(plan.effective["variant"]["tuned"]["plugin"] == "openssl");
  CHECK(plan.effective["variant"]["tuned"]["library_directory"] == place.build().string());

  plan = place.plan(head("\"openssl\"") + "[roles]\nserver = [\"tuned\", \"openssl\"]\n" + table);
  CHECK(cell_ids(plan) == Strings{"test/server=tuned", "test/server=openssl"});
  CHECK(plan.cells[0].arms[0].settings.client.backend == "openssl");
  CHECK(plan.cells[0].arms[0].settings.server.backend == "tuned");

  Overrides overrides;
  overrides.backends = {"wolfssl", "tuned"};
  overrides.matrix = {{"roles.client", {"tuned", "boringssl"}}};
  plan = place.plan(head("\"openssl\"") + table, overrides);
  CHECK(arm_ids(plan.cells.at(1)) == Strings{"wolfssl", "tuned", "wolfssl#2"});
  CHECK(plan.cells[0].id == "test/client=tuned");
  CHECK_FALSE(place.plan(head("\"openssl\"")).effective.contains("variant"));
}

TEST_CASE("a variant of the command line joins the scenarios that compare its plugin, behind it") {
  const Room place;
  const std::string build = place.build().string();
  const Strings two{"a=openssl:" + build, "b=openssl:" + build};
  CHECK(place.plan(head("\"openssl\", \"wolfssl\""), flags(two)).backends == Strings{"openssl", "a", "b", "wolfssl"});
  CHECK(place.plan(head("\"wolfssl\""), flags(two)).backends == Strings{"wolfssl"});
  CHECK(place.plan(head("\"a\", \"openssl\""), flags(two)).backends == Strings{"a", "openssl", "b"});
  Overrides chosen = flags(two);
  chosen.backends = {"openssl", "b"};
  const ScenarioPlan plan = place.plan(head("\"wolfssl\""), chosen);
  CHECK(plan.backends == Strings{"openssl", "b"});
  CHECK(plan.variants.at(0).by_flag);
  CHECK(place.plan(head("\"openssl\""), flags({"a=openssl:/"})).variants.at(0).library_directory == "/");
}

TEST_CASE("-s gives a variant other files, or makes one") {
  const Room place;
  std::filesystem::create_directories(place.build() / "other");
  const std::string other = (place.build() / "other").string();
  Overrides overrides;
  overrides.settings = {{"variant.tuned.library_directory", other}};
  CHECK(place.plan(head("\"openssl\", \"tuned\"") + table, overrides).variants.at(0).library_directory == other);
  overrides.settings.emplace_back("variant.tuned.plugin", "openssl");
  CHECK(place.plan(head("\"openssl\", \"tuned\""), overrides).variants.at(0).library_directory == other);
  overrides.settings = {{"variant.tuned.libary_directory", other}};
  CHECK(all_text(place.read(head("\"openssl\"") + table, overrides)).find("did you mean \"library_directory\"?") !=
        std::string::npos);
  overrides.settings = {{"variant.tuned", other}};
  CHECK(all_text(place.read(head("\"openssl\""), overrides)).find("variant.NAME.plugin") != std::string::npos);
}

TEST_CASE("faults of a variant in a file have their line, their key and a cure") {
  const Room place;
  place.directory_.write("file", "");
  const std::string plugin = "plugin = \"openssl\"\n", directory = "library_directory = \"build\"\n";
  const auto fault = [&](const std::string& text) {
    const Outcome outcome = place.read(head("\"openssl\", \"x\"") + text);
    CAPTURE(text);
    REQUIRE_MESSAGE(outcome.diagnostics.size() == 1, all_text(outcome));  // the name is known all the same
    const Diagnostic& one = outcome.diagnostics.front();
    return std::to_string(one.line) + ":" + std::to_string(one.column) + " " + one.key + ": " + one.message;
  };
  const auto begins = [&](const std::string& text, const std::string& words) {
    const std::string told = fault(text);
    CAPTURE(told);
    CHECK(told.starts_with(words));
  };
  const auto has = [&](const std::string& text, const std::string& words) {
    const std::string told = fault(text);
    CAPTURE(told);
    CHECK(told.find(words) != std::string::npos);
  };
  begins("[variant.x]\n" + directory, "4:10 variant.x.plugin: missing;");
  begins("[variant.x]\n" + plugin, "4:10 variant.x.library_directory: missing;");
  begins("[variant.x]\n" + directory + "plugin = \"opensl\"\n", "6:10 variant.x.plugin: found \"opensl\"; allowed: ");
  has("[variant.x]\n" + directory + "plugin = \"opensl\"\n", "did you mean \"openssl\"?");
  has("[variant.x]\n" + directory + "plugin = 3\n", "found 3; allowed: \"openssl\"");
  has("[variant.x]\n" + directory + "plugin = \"x\"\n", "found \"x\"; allowed: ");
  has("[variant.x]\n" + directory + "plugin = \"plaintcp\"\n", "plaintcp has no library of its own");
  begins("[variant.x]\n" + plugin + "library_directory = \"none\"\n", "6:21 variant.x.library_directory: \"/");
  has("[variant.x]\n" + plugin + "library_directory = \"none\"\n", "/none\" does not exist; needed:");
  has("[variant.x]\n" + plugin + "library_directory = \"file\"\n", "/file\" is no directory; needed:");
  has("[variant.x]\n" + plugin + "library_directory = \"a;b\"\n", "give the directory another name, or a link to it");
  has("[variant.x]\n" + plugin + "library_directory = 3\n", "found 3; allowed: a path");
  has("[variant.x]\n" + plugin + directory + "lib = \"build\"\n", "variant.x.lib: unknown key");
  has("[variant]\nx = \"build\"\n", "needed: a table [variant.NAME] with plugin and library_directory");
}

TEST_CASE("a variant's name is its own") {
  const Room place;
  const auto told = [&](const std::string& text, const Overrides& overrides = {}) {
    return all_text(place.read(head("\"openssl\"") + text, overrides));
  };
  const std::string build = place.build().string();
  const auto has = [&](const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
  };
  has(told("[variant.wolfssl]\nplugin = \"openssl\"\nlibrary_directory = \"build\"\n"),
      "test.toml:4:10: variant.wolfssl: \"wolfssl\" is a backend already; give the variant a name of its own");
  has(told("[variant.\"a b\"]\nplugin = \"openssl\"\nlibrary_directory = \"build\"\n"),
      "\"a b\" is no name for a variant");
  has(told("", flags({"backend=openssl:" + build})), "\"backend\" stands for every backend in [roles]");
  has(told("", flags({"=openssl:" + build})), "\"\" is no name for a variant");
  has(told("", flags({"a=openssl:" + build, "a=wolfssl:" + build})), "another variant is called \"a\" too");
  has(told(table, flags({"tuned=openssl:" + build})), "--variant tuned=openssl:" + build + ": variant.tuned: another ");
  has(told("", flags({"a=b:" + build, "b=openssl:" + build})), "\"b\", which is a variant itself and no plugin");
  for (const std::string text : {"a", "a=openssl", "a:b"}) {
    has(told("", flags({text})), "--variant " + text + ": variant: needed: NAME=PLUGIN:DIR, such as ");
  }
  has(told("", flags({"a=openssl:"})), "library_directory: found \"\"; allowed: a path");
}

TEST_CASE("a misspelt variant is told with the nearest name") {
  const Room place;
  CHECK(all_text(place.read(head("\"openssl\", \"tunde\"") + table)).find("did you mean \"tuned\"?") !=
        std::string::npos);
}
