// What the command line says over a scenario file.
#include <doctest/doctest.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

using Strings = std::vector<std::string>;

const std::string base =
    "schema = 1\nname = \"t\"\nworkload = \"echo\"\nbackends = [\"openssl\", \"boringssl\", \"plaintcp\"]\n"
    "baseline = \"boringssl\"\n[measure]\nwarmup = \"50ms\"\nself_check = false\n"
    "[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n\"tls.version\" = [\"1.2\", \"1.3\"]\n";

ScenarioPlan plan_of(const Overrides& overrides, const std::string& text = base) {
  Outcome outcome = read(text, overrides);
  const std::string told = all_text(outcome);
  CAPTURE(told);
  REQUIRE(outcome.plan.has_value());
  CHECK(outcome.diagnostics.empty());
  return std::move(*outcome.plan);
}

Diagnostic only_fault(const Overrides& overrides, const std::string& text = base) {
  const Outcome outcome = read(text, overrides);
  const std::string told = all_text(outcome);
  CAPTURE(told);
  CHECK_FALSE(outcome.plan.has_value());
  REQUIRE(outcome.diagnostics.size() == 1);
  return outcome.diagnostics[0];
}

Overrides set(const std::string& key, const std::string& value) {
  Overrides overrides;
  overrides.settings = {{key, value}};
  return overrides;
}

Overrides axis(const std::string& key, const Strings& values) {
  Overrides overrides;
  overrides.matrix = {{key, values}};
  return overrides;
}

const Settings& first_settings(const ScenarioPlan& plan) { return plan.cells.at(0).arms.at(0).settings; }

}  // namespace

TEST_CASE("-b and --baseline") {
  Overrides overrides;
  overrides.backends = {"wolfssl", "openssl"};
  ScenarioPlan plan = plan_of(overrides);
  CHECK(plan.backends == Strings{"wolfssl", "openssl"});
  CHECK(arm_ids(plan.cells[0]) == Strings{"wolfssl", "openssl"});
  CHECK(plan.cells[0].baseline == "wolfssl");  // the file's boringssl is not among them
  overrides.baseline = "openssl";
  plan = plan_of(overrides);
  CHECK(plan.cells[0].baseline == "openssl");
  CHECK(plan.effective["baseline"] == "openssl");
  overrides.baseline = "boringssl";
  CHECK(only_fault(overrides).what() ==
        "--baseline: baseline: found \"boringssl\"; allowed is what is compared: \"wolfssl\", \"openssl\"");
  overrides = {};
  overrides.backends = {"opnssl"};
  CHECK(only_fault(overrides).what().starts_with("-b: backends: found \"opnssl\""));
  CHECK(only_fault(overrides).message.find("did you mean \"openssl\"") != std::string::npos);
}

TEST_CASE("-s takes TOML values and bare words") {
  CHECK(first_settings(plan_of(set("traffic.connections", "64"))).traffic.connections == 64);
  CHECK(first_settings(plan_of(set("traffic.reply_size", "4KiB"))).traffic.reply_size == 4096);
  CHECK(first_settings(plan_of(set("traffic.reply_size", "\"4KiB\""))).traffic.reply_size == 4096);
  CHECK(first_settings(plan_of(set("traffic.reply_size", "4096"))).traffic.reply_size == 4096);
  CHECK_FALSE(first_settings(plan_of(set("socket.nodelay", "false"))).socket.nodelay);
  CHECK(first_settings(plan_of(set("measure.block", "2s"))).measure.block_ns == 2'000'000'000);
  CHECK(first_settings(plan_of(set("measure.blocks", "{ min = 6, max = 7 }"))).measure.blocks_max == 7);
  CHECK(first_settings(plan_of(set("measure.blocks.min", "6"))).measure.blocks_min == 6);
  CHECK(first_settings(plan_of(set("measure.equivalence", "5%"))).measure.equivalence == 0.05);
  CHECK(plan_of(set("name", "5")).name == "5");
  const ScenarioPlan over_wire = plan_of(set("roles.server", "{ transport = \"wire\" }"));
  const Settings& wire = first_settings(over_wire);
  CHECK(wire.server.transport == Transport::wire);
  CHECK(wire.server.backend == "openssl");
  CHECK(first_settings(plan_of(set("measure.seed", "18446744073709551615"))).measure.seed == 18446744073709551615ULL);
}

TEST_CASE("-s on a key of [matrix] makes it no axis") {
  const ScenarioPlan plan = plan_of(set("tls.version", "1.2"));
  CHECK(cell_ids(plan) == Strings{"t/message_size=64B", "t/message_size=1KiB"});
  CHECK(first_settings(plan).tls.version == "1.2");
  CHECK(first_settings(plan).tls.cipher == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
}

TEST_CASE("-s of a list in [roles] is an axis") {
  const ScenarioPlan plan = plan_of(set("roles.server", "[\"openssl\", \"wolfssl\"]"), echo_head());
  CHECK(plan.cells.size() == 2);
  CHECK(plan.cells[1].id == "test/server=wolfssl");
}

TEST_CASE("faults of -s name the flag") {
  CHECK(only_fault(set("traffic.connections", "0")).what() ==
        "-s traffic.connections=0: traffic.connections: found 0; allowed: a whole number from 1 to 10000; example: "
        "connections = 64");
  CHECK(only_fault(set("traffic.connections", "0")).flag == "-s traffic.connections=0");
  CHECK(only_fault(set("traffic.conections", "1")).message == "unknown key; did you mean \"traffic.connections\"?");
  CHECK(only_fault(set("connections", "1")).message == "unknown key; did you mean \"traffic.connections\"?");
  CHECK(only_fault(set("", "1")).message.find("unknown key") != std::string::npos);
  CHECK(only_fault(set("traffic.connections", "")).message.find("found \"\"") != std::string::npos);
  CHECK(only_fault(set("roles.client", "[\"openssl\"")).message == "[\"openssl\" is no TOML value");
  CHECK(only_fault(set("schema", "1")).message == "is the file's own");
  CHECK(only_fault(set("matrix.tls.group", "[]")).message == "is set with -P KEY=VALUE,VALUE");
  CHECK(only_fault(set("relay.read", "drian")).message.find("did you mean \"drain\"") != std::string::npos);
  CHECK(only_fault(set("engine.threads", "2")).message.find("the workload engine") != std::string::npos);
  CHECK(only_fault(set("traffic.reply_size", "1kib\nconnections = 3")).message.find("1B to 16MiB") !=
        std::string::npos);
  CHECK(only_fault(set("tls.version", "1.4")).message.find("\"1.2\", \"1.3\"") != std::string::npos);
}

TEST_CASE("-P replaces an axis in its place, or adds one at the end") {
  CHECK(cell_ids(plan_of(axis("traffic.message_size", {"2KiB", "4096"}))) ==
        Strings{"t/message_size=2KiB/version=1.2", "t/message_size=2KiB/version=1.3", "t/message_size=4096/version=1.2",
                "t/message_size=4096/version=1.3"});
  const ScenarioPlan added = plan_of(axis("traffic.pipeline", {"1", "8"}));
  CHECK(added.cells.size() == 8);
  CHECK(added.cells[1].id == "t/message_size=64B/version=1.2/pipeline=8");
  CHECK(added.cells[1].arms[0].settings.traffic.pipeline == 8);
  CHECK(plan_of(axis("tls.version", {"1.3"})).cells[0].id == "t/message_size=64B/version=1.3");
}

TEST_CASE("who plays a role and over which transport are two keys") {
  Overrides both;
  both.matrix = {{"roles.client", {"openssl", "boringssl"}}, {"roles.client.transport", {"fd", "wire"}}};
  const Strings product{"test/client=openssl/transport=fd", "test/client=openssl/transport=wire",
                        "test/client=boringssl/transport=fd", "test/client=boringssl/transport=wire"};
  CHECK(cell_ids(plan_of(both, echo_head())) == product);
  const std::string names = echo_head() + "[roles]\nclient = [\"openssl\", \"boringssl\"]\n";
  CHECK(cell_ids(plan_of(axis("roles.client.transport", {"fd", "wire"}), names)) == product);
  std::swap(both.matrix[0], both.matrix[1]);
  CHECK(cell_ids(plan_of(both, echo_head())) ==
        Strings{"test/transport=fd/client=openssl", "test/transport=fd/client=boringssl",
                "test/transport=wire/client=openssl", "test/transport=wire/client=boringssl"});

  const std::string transports = echo_head() + "[matrix]\n\"roles.client.transport\" = [\"fd\", \"wire\"]\n";
  ScenarioPlan plan = plan_of(set("roles.client", "boringssl"), transports);  // leaves the axis as it is
  CHECK(cell_ids(plan) == Strings{"test/transport=fd", "test/transport=wire"});
  CHECK(first_settings(plan).client.backend == "boringssl");
  plan = plan_of(set("roles.client", "{ transport = \"wire\" }"), transports);
  CHECK(cell_ids(plan) == Strings{"test"});
  CHECK(first_settings(plan).client.transport == Transport::wire);
  plan = plan_of(axis("roles.client.backend", {"wolfssl", "boringssl"}), names);  // by its long name, in its place
  CHECK(cell_ids(plan) == Strings{"test/roles.client.backend=wolfssl", "test/roles.client.backend=boringssl"});
}

TEST_CASE("an axis that would be lost in part is told") {
  const std::string tables =
      echo_head() + "[roles]\nclient = [\"openssl\", { backend = \"wolfssl\", transport = \"wire\" }]\n";
  CHECK(only_fault(axis("roles.client.transport", {"fd", "wire"}), tables).what() ==
        "-P roles.client.transport=fd,wire: roles.client.transport: roles.client.transport would have a list of values "
        "twice; the other is that of roles.client; keep one of them");
  CHECK(only_fault(set("roles.client.transport", "fd"), tables).what() ==
        "-s roles.client.transport=fd: roles.client.transport: roles.client.transport has a list of values in "
        "roles.client, together with other keys; set them all at once, with -s roles.client={ ... }");
  CHECK(cell_ids(plan_of(set("roles.client", "{ backend = \"wolfssl\", transport = \"fd\" }"), tables)) ==
        Strings{"test"});
  CHECK(plan_of(axis("roles.client", {"{ backend = \"wolfssl\", transport = \"fd\" }", "boringssl"}), tables)
            .cells[0]
            .id == "test/client=wolfssl+fd");

  Overrides twice;
  twice.matrix = {{"tls.version", {"1.2"}}, {"tls.version", {"1.2", "1.3"}}};
  CHECK(only_fault(twice).what().find("the other is that of -P tls.version=1.2;") != std::string::npos);
  twice.matrix = {{"roles.client", {"openssl"}}, {"roles.client.backend", {"wolfssl"}}};
  CHECK(only_fault(twice).what().find("the other is that of -P roles.client=openssl;") != std::string::npos);
}

TEST_CASE("-P on what is compared lets the file's baseline give way") {
  const std::string text = echo_head() +
                           "arms = \"tls.group\"\nbaseline = \"x25519\"\n[matrix]\n\"tls.group\" = [\"x25519\", "
                           "\"secp256r1\"]\n";
  const ScenarioPlan plan = plan_of(axis("tls.group", {"secp384r1", "secp256r1"}), text);
  CHECK(plan.cells[0].baseline == "secp384r1");
  CHECK(arm_ids(plan.cells[0]) == Strings{"secp384r1", "secp256r1", "secp384r1#2"});
}

TEST_CASE("faults of -P name the flag") {
  const Outcome outcome = read(base, axis("traffic.connections", {"1", "0", "many"}));
  REQUIRE(outcome.diagnostics.size() == 2);
  CHECK(outcome.diagnostics[0].what().starts_with("-P traffic.connections=1,0,many: traffic.connections: found 0"));
  CHECK(outcome.diagnostics[1].what().find("found \"many\"") != std::string::npos);
  CHECK(only_fault(axis("tls.ciphr", {"a"})).message.find("did you mean \"tls.cipher\"") != std::string::npos);
  CHECK(only_fault(axis("measure.block", {"1s"})).message.find("no axis") != std::string::npos);
  CHECK(only_fault(axis("traffic.pipeline", {})).message.find("empty list") != std::string::npos);
  CHECK(only_fault(axis("traffic.pipeline", {"1", "1"})).message.find("twice") != std::string::npos);
}

TEST_CASE("-r and --seed") {
  Overrides overrides;
  overrides.blocks = 3;
  overrides.seed = 18446744073709551615ULL;
  const ScenarioPlan plan = plan_of(overrides);
  const MeasureSettings& measure = first_settings(plan).measure;
  CHECK(measure.blocks_min == 3);
  CHECK(measure.blocks_max == 3);
  CHECK(measure.seed == 18446744073709551615ULL);
  CHECK(plan.effective["measure"]["seed"] == 18446744073709551615ULL);
  for (const std::uint32_t blocks : {0U, 1'001U}) {
    overrides.blocks = blocks;
    CHECK(only_fault(overrides).what().starts_with("-r: measure.blocks: found "));
  }
}

TEST_CASE("--quick shortens, and says so") {
  Overrides overrides;
  overrides.quick = true;
  ScenarioPlan plan = plan_of(overrides);
  MeasureSettings measure = first_settings(plan).measure;
  CHECK(measure.warmup_ns == 50'000'000);  // the file's is shorter
  CHECK(measure.block_ns == 200'000'000);
  CHECK(measure.blocks_min == 8);
  CHECK(measure.blocks_max == 8);
  CHECK(plan.effective["quick"] == true);
  CHECK(plan_of(Overrides{}).effective["quick"] == false);

  overrides.settings = {{"measure.block", "3s"}};
  overrides.blocks = 9;
  measure = first_settings(plan_of(overrides)).measure;
  CHECK(measure.block_ns == 3'000'000'000);  // what is said on the command line stays
  CHECK(measure.blocks_max == 9);

  Overrides quick;
  quick.quick = true;
  measure = first_settings(plan_of(quick, echo_head() + "[measure]\nslice = \"500ms\"\n")).measure;
  CHECK(measure.slice_ns == 200'000'000);  // a slice is not longer than its block
}

TEST_CASE("--filter") {
  Overrides overrides;
  overrides.filter = "64B.*1\\.3";
  const ScenarioPlan plan = plan_of(overrides);
  CHECK(cell_ids(plan) == Strings{"t/message_size=64B/version=1.3"});
  CHECK(plan.effective["filter"] == "64B.*1\\.3");

  overrides.filter = "(";
  CHECK(only_fault(overrides).flag == "--filter");
  CHECK(only_fault(overrides).what().find("no regular expression") != std::string::npos);
  overrides.filter = "2KiB";
  const std::string told = only_fault(overrides).what();
  CHECK(told.starts_with("--filter: \"2KiB\" matches no cell; the cells are:"));
  CHECK(told.find("t/message_size=1KiB/version=1.3") != std::string::npos);
}

TEST_CASE("--filter: what is no regular expression has a true reason") {
  const auto told = [](const std::string& regex) {
    Overrides overrides;
    overrides.filter = regex;
    return only_fault(overrides).what();
  };
  for (const std::string regex : {"*", "+", "?", "a|*", "(*a)"}) {
    CHECK(told(regex).starts_with("--filter: \"" + regex + "\" is no regular expression: a *, +, ? or { has nothing "));
  }
  CHECK(told("[a").find("is no regular expression: ") != std::string::npos);
  CHECK(told("a\\").find("is no regular expression: ") != std::string::npos);
  CHECK(told("\\d").find("has \\d, which POSIX extended regular expressions do not know; write [0-9]") !=
        std::string::npos);
  CHECK(told("(a)\\1").find("has \\1, which") != std::string::npos);
  CHECK(told("\x1b[31m").find('\x1b') == std::string::npos);
}

TEST_CASE("--filter of any size ends") {
  const auto told = [](const std::string& regex) {
    Overrides overrides;
    overrides.filter = regex;
    return only_fault(overrides).what();
  };
  CHECK(told(std::string(1'000'000, 'a')).find("has 1000000 characters; allowed: up to 1000") != std::string::npos);
  CHECK(told(std::string(1'000'000, 'a')).size() < 400);
  CHECK(told(std::string(1'000, 'a')).find("matches no cell") != std::string::npos);
  CHECK(told(std::string(21, '(') + "a" + std::string(21, ')')).find("more than 20 deep") != std::string::npos);
  CHECK(told(std::string(20, '(') + "2KiB" + std::string(20, ')')).find("matches no cell") != std::string::npos);
  const std::string many = "more than 2000 parts";
  CHECK(told("((a{200}){200}){200}").find(many) != std::string::npos);
  CHECK(told("a{30000}").find(many) != std::string::npos);
  CHECK(told("a{99999999999999999999}").find(many) != std::string::npos);
  CHECK(told("(b|a{,2001})").find(many) != std::string::npos);
  std::string pluses = "a";
  for (int i = 0; i < 19; ++i) {
    pluses = "(" + pluses + "+)";
  }
  CHECK(told(pluses).find(many) != std::string::npos);
}

TEST_CASE("--filter knows what a regular expression is made of") {
  const auto count = [](const std::string& regex) {
    Overrides overrides;
    overrides.filter = regex;
    return plan_of(overrides).cells.size();
  };
  CHECK(count("") == 4);
  CHECK(count(".*") == 4);
  CHECK(count("^t/message_size=1KiB/") == 2);
  CHECK(count("size=(64B|1KiB)/version=1\\.2$") == 2);
  CHECK(count("[[:digit:]]{2}B") == 2);
  CHECK(count("[^])]6{1,3}[4]{1,}B") == 2);
  CHECK(count("mes{2}age") == 4);
  CHECK(count("\\bversion=1[.]3") == 2);
}

TEST_CASE("-s workload decides which keys apply") {
  const Outcome outcome = read(base, set("workload", "engine"));
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].key == "traffic.message_size");
  CHECK(plan_of(set("workload", "engine"), echo_head()).workload == Workload::engine);
}
