// scenarios/README.md and the shipped scenarios against the table of keys.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <tlsrig/scenario/describe.hpp>
#include <tlsrig/scenario/keys.hpp>
#include <tlsrig/scenario/suites.hpp>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

const std::filesystem::path scenarios = TLSRIG_SCENARIOS;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Blocks between ```toml and ```.
std::vector<std::string> toml_blocks(const std::string& markdown) {
  std::vector<std::string> blocks;
  const std::string opening = "```toml\n";
  for (std::size_t at = markdown.find(opening); at != std::string::npos; at = markdown.find(opening, at)) {
    at += opening.size();
    blocks.push_back(markdown.substr(at, markdown.find("```", at) - at));
  }
  return blocks;
}

std::string head_for(const Key& key) {
  const auto applies = [&](Workload workload) { return (key.workloads & bit(workload)) != 0; };
  if (key.workloads != every_workload && applies(Workload::stream)) {
    return stream_head();
  }
  return applies(Workload::echo) ? echo_head() : engine_head();
}

// The lines of a file that sets a key; keys at the top replace those of the usual three lines.
std::string file_with(const Key& key, std::string_view value) {
  const std::string line = std::string(last_part(key.path)) + " = " + std::string(value) + "\n";
  if (!table_of(key.path).empty()) {
    return head_for(key) + "[" + std::string(table_of(key.path)) + "]\n" + line;
  }
  std::string head = head_for(key);
  if (const std::size_t at = ("\n" + head).find("\n" + std::string(key.path) + " = "); at != std::string::npos) {
    head.erase(at, head.find('\n', at) + 1 - at);
  }
  return line + head;
}

}  // namespace

TEST_CASE("the README holds the reference word for word") {
  const std::string readme = text_of(scenarios / "README.md");
  REQUIRE_FALSE(readme.empty());
  const std::string reference = key_reference();
  std::size_t begin = 0;
  while (begin < reference.size()) {  // line by line, so that a failure shows the line
    const std::size_t end = reference.find('\n', begin);
    const std::string line = reference.substr(begin, end - begin);
    CAPTURE(line);
    CHECK((line.empty() || readme.find(line + "\n") != std::string::npos));
    begin = end + 1;
  }
}

TEST_CASE("the README names no key that is not known, and each known one once") {
  std::string readme = text_of(scenarios / "README.md");
  REQUIRE(readme.find("## All keys") != std::string::npos);
  readme.erase(0, readme.find("## All keys"));
  std::multiset<std::string> rows;
  const std::string opening = "\n| `";
  for (std::size_t at = readme.find(opening); at != std::string::npos; at = readme.find(opening, at)) {
    at += opening.size();
    rows.insert(readme.substr(at, readme.find('`', at) - at));
  }
  CHECK(rows.size() >= keys().size());
  for (const std::string& name : rows) {
    CAPTURE(name);
    CHECK(find_key(name) != nullptr);
  }
  for (const Key& key : keys()) {
    CAPTURE(std::string(key.path));
    CHECK(rows.count(std::string(key.path)) == 1);
  }
}

TEST_CASE("every whole scenario in the README is good") {
  int whole = 0;
  for (const std::string& block : toml_blocks(text_of(scenarios / "README.md"))) {
    if (block.starts_with("schema")) {
      ++whole;
      const Outcome outcome = read(block);
      CAPTURE(block);
      CHECK_MESSAGE(outcome.plan.has_value(), all_text(outcome));
    }
  }
  CHECK(whole == 4);
}

TEST_CASE("the faults that the README shows are told like that") {
  const std::string readme = text_of(scenarios / "README.md");
  const Outcome outcome =
      read(echo_head() + "# 4\n# 5\n# 6\n# 7\n[traffic]\nconections = 1\nmessage_size = \"1kib\"\n");
  REQUIRE(outcome.diagnostics.size() == 2);
  for (Diagnostic diagnostic : outcome.diagnostics) {
    diagnostic.file = "scenarios/mine.toml";
    CAPTURE(diagnostic.what());
    CHECK(readme.find("\n" + diagnostic.what() + "\n") != std::string::npos);
  }
}

TEST_CASE("the example of every offered key is good") {
  for (const Key& key : keys()) {
    if (!key.offered || lies_in(key.path, "tls.certificate.chain") || lies_in(key.path, "tls.certificate.key") ||
        lies_in(key.path, "tls.certificate.trust") || lies_in(key.path, "variant") || key.path == "arms") {
      continue;  // good together with other keys only
    }
    const std::string text = file_with(key, key.example);
    const Outcome outcome = read(text);
    CAPTURE(text);
    CHECK_MESSAGE(outcome.plan.has_value(), all_text(outcome));
  }
}

TEST_CASE("every key says what it is for, and words in its defaults are allowed") {
  std::set<std::string_view> paths;
  for (const Key& key : keys()) {
    CAPTURE(std::string(key.path));
    CHECK(paths.insert(key.path).second);
    CHECK_FALSE(key.meaning.empty());
    CHECK(key.meaning.back() == '.');
    CHECK_FALSE(key.example.empty());
    CHECK(find_table(table_of(key.path)) != nullptr);
    CHECK((key.access.get != nullptr || !key.default_text.empty()));
    if (key.type == KeyType::word && key.access.get != nullptr && key.path != "tls.cipher") {
      const std::string word = std::get<std::string>(key.access.get(Settings{}));
      const auto same = [&](const Word& w) { return w.text == word && w.offered; };
      CHECK(std::any_of(key.words.begin(), key.words.end(), same));
    }
  }
}

TEST_CASE("the words of an enumeration stand in its order") {
  const auto check = [](std::string_view path, auto set, const std::vector<std::string>& words) {
    const Key& key = *find_key(path);
    for (std::size_t i = 0; i < words.size(); ++i) {
      Settings settings;
      set(settings, i);
      CHECK(std::get<std::string>(key.access.get(settings)) == words[i]);
    }
    CHECK(key.words.size() == words.size());
  };
  check("engine.operation", [](Settings& s, std::size_t i) { s.engine.operation = static_cast<Operation>(i); },
        {"handshake", "handshake-resumed", "wrap", "unwrap", "wrap-unwrap", "context-new", "session-new"});
  check("engine.buffers", [](Settings& s, std::size_t i) { s.engine.buffers = static_cast<Buffers>(i); },
        {"direct", "bounce", "pool", "malloc"});
  check("engine.context", [](Settings& s, std::size_t i) { s.engine.context = static_cast<ContextSharing>(i); },
        {"shared", "per-thread", "per-connection"});
  check("tls.verify", [](Settings& s, std::size_t i) { s.tls.verify = static_cast<Verify>(i); },
        {"none", "server", "client", "both"});
  check("tls.policy", [](Settings& s, std::size_t i) { s.tls.policy = static_cast<Policy>(i); },
        {"pinned", "as-shipped"});
  check("tls.resumption", [](Settings& s, std::size_t i) { s.tls.resumption = static_cast<Resumption>(i); },
        {"off", "ticket", "session-id"});
  check("traffic.write", [](Settings& s, std::size_t i) { s.traffic.write = static_cast<WriteStrategy>(i); },
        {"per-message", "batched", "coalesced"});
  check("traffic.direction", [](Settings& s, std::size_t i) { s.traffic.direction = static_cast<Direction>(i); },
        {"to-server", "to-client"});
  check("relay.inbound", [](Settings& s, std::size_t i) { s.relay.inbound = static_cast<LegProtocol>(i); },
        {"tls", "plain"});
  check("relay.outbound", [](Settings& s, std::size_t i) { s.relay.outbound = static_cast<LegProtocol>(i); },
        {"tls", "plain"});
  check("relay.read", [](Settings& s, std::size_t i) { s.relay.read = static_cast<RelayRead>(i); },
        {"per-record", "coalesce", "fixed", "pending", "drain", "spin"});
  check("roles.client.transport", [](Settings& s, std::size_t i) { s.client.transport = static_cast<Transport>(i); },
        {"fd", "wire"});
  CHECK(workload_name(Workload::engine) == "engine");
  CHECK(workload_name(Workload::echo) == "echo");
  CHECK(workload_name(Workload::idle) == "idle");
}

TEST_CASE("the shipped scenarios are good, and the quick ones quick") {
  std::size_t quick_cells = 0, files = 0;
  double seconds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scenarios)) {
    if (entry.path().extension() != ".toml") {
      continue;
    }
    ++files;
    const Outcome outcome = read_scenario(entry.path(), {}, known());
    CAPTURE(entry.path().string());
    REQUIRE_MESSAGE(outcome.plan.has_value(), all_text(outcome));
    const ScenarioPlan& plan = *outcome.plan;
    CHECK(plan.name == entry.path().stem());
    CHECK_FALSE(plan.description.empty());
    CHECK(plan.backends == std::vector<std::string>{"openssl", "boringssl", "wolfssl", "gnutls", "plaintcp"});
    if (plan.name.starts_with("quick-")) {
      quick_cells += plan.cells.size();
      for (const CellPlan& cell : plan.cells) {
        const MeasureSettings& measure = cell.arms[0].settings.measure;
        CHECK(cell.arms.size() == 6);
        CHECK(measure.blocks_min == 8);
        CHECK(measure.blocks_max == 8);
        CHECK(measure.block_ns == 200'000'000);
        seconds += 6 * 8 * static_cast<double>(measure.block_ns + measure.warmup_ns) / 1e9;
      }
    }
  }
  CHECK(files >= 4);
  CHECK(quick_cells <= 6);
  CHECK(seconds < 90);  // of the two minutes that the quick run may take
}
