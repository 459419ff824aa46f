// One shipped scenario through the program, shortened: every arm of it runs, or says what its backend lacks.
//   SCENARIO_FILE: the file; SCENARIO_FILTER: the cells, all when empty; SCENARIO_BLOCK: how long a block takes;
//   SCENARIO_BACKENDS: the backends of this build, separated by spaces
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "support/program.hpp"

using namespace tlsrig::tests;
using Json = nlohmann::json;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::set<std::string> built_backends() {
  std::istringstream words(variable("SCENARIO_BACKENDS"));
  return {std::istream_iterator<std::string>(words), {}};
}

// What of TLS the libraries of this system lack. An arm is unsupported for no other reason.
bool is_known_limit(const Json& arm) {
  static const std::map<std::string, std::set<std::string>> lacking = {
      {"wolfssl", {"wolfssl does not have the cipher TLS_RSA_WITH_"}},
      {"boringssl",
       {"boringssl does not have the cipher TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        "boringssl does not have the cipher TLS_RSA_WITH_AES_128_CBC_SHA256", "cannot choose TLS 1.3 ciphers"}}};
  const auto backend = arm.at("backend").get<std::string>();
  const auto reason = arm.at("reason").get<std::string>();
  if (!built_backends().contains(backend)) return reason.starts_with("not installed");
  const auto found = lacking.find(backend);
  if (found == lacking.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& limit) { return reason.starts_with(limit); });
}

void check_measured(const Json& arm) {
  const Json& proof = arm.at("proof");
  CHECK(proof.at("errors").empty());
  CHECK(proof.at("bytes_verified") > 0);
  CHECK(proof.at("connections").at("achieved") == proof.at("connections").at("asked"));
  CHECK(arm.at("metrics").at("throughput").at("value") > 0);
  CHECK(arm.at("blocks").size() == 1);
  if (arm.at("backend") == "plaintcp")
    CHECK(proof.at("version") == "none");
  else
    CHECK(proof.at("cipher") == arm.at("settings").at("tls").at("cipher"));
}

}  // namespace

TEST_CASE("a shipped scenario runs with every backend") {
  const std::string file = variable("SCENARIO_FILE"), filter = variable("SCENARIO_FILTER");
  REQUIRE_FALSE(file.empty());
  Scratch scratch;
  std::vector<std::string> arguments = {"run", file,
                                        "-o",  "out",
                                        "-r",  "1",
                                        "-s",  "measure.warmup=20ms",
                                        "-s",  "measure.block=" + variable("SCENARIO_BLOCK"),
                                        "-s",  "measure.self_check=false"};
  if (!filter.empty()) arguments.insert(arguments.end(), {"--filter", filter});
  const auto ended = run_program(arguments, scratch.path(), {}, 200);
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("complete") == true);
  CHECK(result.at("cells").size() > 0);
  std::set<std::string> seen;
  for (const auto& cell : result.at("cells")) {
    for (const auto& arm : cell.at("arms")) {
      INFO(cell.at("id") << ", " << arm.dump(2));
      if (arm.at("status") == "ok") {
        check_measured(arm);
        seen.insert(arm.at("backend").get<std::string>());
      } else {
        CHECK(arm.at("status") == "unsupported");
        CHECK(is_known_limit(arm));
      }
    }
  }
  CHECK(seen == built_backends());
}
