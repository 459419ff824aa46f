// Good scenarios: settings, cells and arms.
#include <doctest/doctest.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

using Strings = std::vector<std::string>;

const Settings& first_settings(const ScenarioPlan& plan) { return plan.cells.at(0).arms.at(0).settings; }

}  // namespace

TEST_CASE("the shortest scenario has the defaults") {
  const ScenarioPlan plan = plan_of(echo_head());
  CHECK(plan.name == "test");
  CHECK(plan.description.empty());
  CHECK(plan.workload == Workload::echo);
  CHECK(cell_ids(plan) == Strings{"test"});
  CHECK(plan.cells[0].parameters.empty());
  CHECK(arm_ids(plan.cells[0]) == Strings{"openssl", "plaintcp", "openssl#2"});
  CHECK(plan.cells[0].baseline == "openssl");
  const Settings& settings = first_settings(plan);
  CHECK(settings.client.backend == "openssl");
  CHECK(settings.server.backend == "openssl");
  CHECK(settings.tls.cipher == "TLS_AES_128_GCM_SHA256");
  CHECK(settings.traffic.connections == 16);
  CHECK(settings.traffic.message_size == 1024);
  CHECK(settings.measure.slice_ns == 0);
  CHECK(settings.measure.target_precision == 0.01);
  CHECK(plan.cells[0].arms[1].settings.server.backend == "plaintcp");
}

TEST_CASE("every key reaches its setting") {
  const ScenarioPlan plan = plan_of(full_echo);
  CHECK(plan.name == "full");
  CHECK(plan.description == "Everything.");
  CHECK(plan.cells[0].baseline == "wolfssl");
  CHECK(arm_ids(plan.cells[0]) == Strings{"openssl", "wolfssl", "plaintcp"});
  const Settings& settings = plan.cells[0].arms[1].settings;
  CHECK(settings.client.backend == "wolfssl");
  CHECK(settings.client.transport == Transport::fd);
  CHECK(settings.server.backend == "openssl");
  CHECK(settings.server.transport == Transport::wire);
  CHECK_FALSE(settings.socket.nodelay);
  CHECK(settings.socket.send_buffer == 262'144);
  CHECK(settings.socket.receive_buffer == 131'072);
  CHECK(settings.socket.read_size == 16'384);
  CHECK(settings.tls.version == "1.2");
  CHECK(settings.tls.cipher == "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");
  CHECK(settings.tls.group == "secp384r1");
  CHECK(settings.tls.certificate == "rsa-2048");
  CHECK(settings.tls.verify == Verify::both);
  CHECK(settings.tls.tickets == 1);
  CHECK(settings.traffic.connections == 100);
  CHECK(settings.traffic.message_size == 16'777'216);
  CHECK(settings.traffic.reply_size == 1);
  CHECK(settings.traffic.pipeline == 1'024);
  CHECK(settings.traffic.rate == 0);
  CHECK(settings.traffic.threads == 64);
  CHECK(settings.measure.warmup_ns == 10'000'000);
  CHECK(settings.measure.block_ns == 600'000'000'000);
  CHECK(settings.measure.slice_ns == 20'000'000);
  CHECK(settings.measure.blocks_min == 1);
  CHECK(settings.measure.blocks_max == 1'000);
  CHECK(settings.measure.target_precision == 0.005);
  CHECK(settings.measure.equivalence == 0);
  CHECK_FALSE(settings.measure.self_check);
  CHECK(settings.measure.seed == 9'223'372'036'854'775'807ULL);

  const Settings& plain = plan.cells[0].arms[2].settings;  // as an arm plaintcp plays fixed roles too
  CHECK(plain.client.backend == "plaintcp");
  CHECK(plain.server.backend == "plaintcp");
  CHECK(plain.server.transport == Transport::wire);
}

TEST_CASE("the default cipher follows version and certificate") {
  const auto cipher = [](const std::string& tls) {
    return first_settings(plan_of(echo_head() + "[tls]\n" + tls)).tls.cipher;
  };
  CHECK(cipher("version = \"1.2\"\n") == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
  CHECK(cipher("version = \"1.2\"\ncertificate = \"rsa-3072\"\n") == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
  CHECK(cipher("certificate = \"rsa-2048\"\n") == "TLS_AES_128_GCM_SHA256");
}

TEST_CASE("a suite without a group has none, and a group changes nothing there") {
  const ScenarioPlan plan =
      plan_of(echo_head() +
              "[tls]\nversion = \"1.2\"\ncertificate = \"rsa-3072\"\n[matrix]\n\"tls.group\" = [\"x25519\", "
              "\"secp256r1\"]\n\"tls.cipher\" = [\"TLS_RSA_WITH_AES_128_CBC_SHA\", "
              "\"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA\"]\n");
  CHECK(cell_ids(plan) == Strings{"test/cipher=TLS_RSA_WITH_AES_128_CBC_SHA",
                                  "test/group=x25519/cipher=TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                                  "test/group=secp256r1/cipher=TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"});
  CHECK(plan.cells[0].arms[0].settings.tls.group.empty());
  CHECK(plan.cells[1].arms[0].settings.tls.group == "x25519");
}

TEST_CASE("as-shipped leaves version, cipher, group and tickets to the library") {
  const ScenarioPlan plan = plan_of(echo_head() +
                                    "[tls]\npolicy = \"as-shipped\"\nversion = \"1.2\"\ntickets = 3\nverify = "
                                    "\"none\"\n[matrix]\n\"tls.group\" = [\"x25519\", \"secp256r1\"]\n");
  CHECK(cell_ids(plan) == Strings{"test"});  // the group changes nothing
  const TlsSettings& tls = first_settings(plan).tls;
  CHECK(tls.version.empty());
  CHECK(tls.cipher.empty());
  CHECK(tls.group.empty());
  CHECK(tls.tickets == 0);
  CHECK(tls.verify == Verify::none);
  CHECK(tls.certificate == "ecdsa-p256");
}

TEST_CASE("certificates of one's own are found from the scenario file") {
  const Directory directory, elsewhere;
  const std::string key = elsewhere.write("k.pem", "key").string();
  directory.write("c.pem", "chain");
  directory.write("t.pem", "trust");
  const auto file =
      directory.write("own.toml", echo_head() + "[tls]\ncertificate = { chain = \"pki/../c.pem\", key = \"" + key +
                                      "\", trust = \"t.pem\" }\n");
  const Outcome outcome = read_scenario(file, {}, known());
  REQUIRE_MESSAGE(outcome.plan.has_value(), all_text(outcome));
  const TlsSettings& tls = first_settings(*outcome.plan).tls;
  CHECK(tls.certificate.empty());
  CHECK(tls.certificate_files.chain == (directory.path() / "c.pem").string());
  CHECK(tls.certificate_files.key == key);
  CHECK(tls.certificate_files.trust == (directory.path() / "t.pem").string());

  Overrides by_name;
  by_name.settings = {{"tls.certificate", "rsa-2048"}};
  const Outcome named = read_scenario(file, by_name, known());
  REQUIRE_MESSAGE(named.plan.has_value(), all_text(named));
  CHECK(first_settings(*named.plan).tls.certificate == "rsa-2048");
  CHECK(first_settings(*named.plan).tls.certificate_files == CertificateFiles{});
}

TEST_CASE("the cells of a matrix come in the order of the file, the last key turning fastest") {
  const ScenarioPlan plan = plan_of(echo_head() +
                                    "name = \"m\"\n[matrix]\n\"traffic.message_size\" = [\"16KiB\", 64]\n"
                                    "\"socket.nodelay\" = [true, false]\n");
  CHECK(cell_ids(plan) == Strings{"m/message_size=16KiB/nodelay=true", "m/message_size=16KiB/nodelay=false",
                                  "m/message_size=64/nodelay=true", "m/message_size=64/nodelay=false"});
  CHECK(plan.cells[3].parameters ==
        std::vector<std::pair<std::string, std::string>>{{"traffic.message_size", "64"}, {"socket.nodelay", "false"}});
  CHECK(plan.cells[3].arms[0].settings.traffic.message_size == 64);
  CHECK_FALSE(plan.cells[3].arms[0].settings.socket.nodelay);
}

TEST_CASE("unquoted keys of [matrix] and a key that also stands in its table") {
  const ScenarioPlan plan =
      plan_of(echo_head() + "[traffic]\nconnections = 3\n[matrix]\ntraffic.connections = [1, 2]\n");
  CHECK(cell_ids(plan) == Strings{"test/connections=1", "test/connections=2"});
}

TEST_CASE("keys that end alike stand in full in cell ids") {
  const ScenarioPlan plan = plan_of(echo_head() +
                                    "[matrix]\n\"roles.client.transport\" = [\"fd\"]\n\"roles.server.transport\" = "
                                    "[\"wire\"]\n\"roles.server.backend\" = [\"backend\"]\n");
  CHECK(cell_ids(plan) ==
        Strings{"test/roles.client.transport=fd/roles.server.transport=wire/roles.server.backend=backend"});
}

TEST_CASE("lists in [roles] are axes") {
  ScenarioPlan plan = plan_of(echo_head() + "[roles]\nclient = [\"openssl\", \"wolfssl\"]\n");
  CHECK(cell_ids(plan) == Strings{"test/client=openssl", "test/client=wolfssl"});
  CHECK(plan.cells[1].arms[0].settings.client.backend == "wolfssl");
  CHECK(plan.cells[1].arms[0].settings.server.backend == "openssl");
  CHECK(plan.cells[1].arms[1].settings.client.backend == "plaintcp");

  plan = plan_of(echo_head() + "[roles]\nserver = { transport = [\"fd\", \"wire\"] }\n");
  CHECK(cell_ids(plan) == Strings{"test/transport=fd", "test/transport=wire"});

  plan = plan_of(echo_head() +
                 "[roles]\nclient = [\"openssl\", \"wolfssl\"]\n[matrix]\n\"roles.client.transport\" = [\"fd\", "
                 "\"wire\"]\n");
  CHECK(cell_ids(plan) == Strings{"test/client=openssl/transport=fd", "test/client=openssl/transport=wire",
                                  "test/client=wolfssl/transport=fd", "test/client=wolfssl/transport=wire"});
  CHECK(plan.cells[3].arms[0].settings.client.backend == "wolfssl");
  CHECK(plan.cells[3].arms[0].settings.client.transport == Transport::wire);

  plan = plan_of(echo_head() + "[roles]\nserver = [\"backend\", { backend = \"wolfssl\", transport = \"wire\" }]\n");
  CHECK(cell_ids(plan) == Strings{"test/server=backend", "test/server=wolfssl+wire"});
  CHECK(plan.cells[1].arms[0].settings.server.backend == "wolfssl");
  CHECK(plan.cells[1].arms[0].settings.server.transport == Transport::wire);
}

TEST_CASE("arms = KEY: the values are the arms, and each backend has cells") {
  const ScenarioPlan plan =
      plan_of(engine_head() +
              "arms = \"tls.cipher\"\nbaseline = \"TLS_CHACHA20_POLY1305_SHA256\"\n[matrix]\n\"tls.cipher\" = "
              "[\"TLS_AES_128_GCM_SHA256\", \"TLS_CHACHA20_POLY1305_SHA256\"]\n\"engine.message_size\" = [\"1KiB\", "
              "\"2KiB\"]\n");
  CHECK(cell_ids(plan) == Strings{"test/message_size=1KiB/backend=openssl", "test/message_size=1KiB/backend=plaintcp",
                                  "test/message_size=2KiB/backend=openssl", "test/message_size=2KiB/backend=plaintcp"});
  const CellPlan& cell = plan.cells[2];
  CHECK(arm_ids(cell) ==
        Strings{"TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256#2"});
  CHECK(cell.baseline == "TLS_CHACHA20_POLY1305_SHA256");
  CHECK(cell.parameters ==
        std::vector<std::pair<std::string, std::string>>{{"engine.message_size", "2KiB"}, {"backend", "openssl"}});
  CHECK(cell.arms[0].backend == "openssl");
  CHECK(cell.arms[0].settings.tls.cipher == "TLS_AES_128_GCM_SHA256");
  CHECK(cell.arms[2].twin);
  CHECK(cell.arms[2].settings.tls.cipher == "TLS_CHACHA20_POLY1305_SHA256");
  CHECK(arm_ids(plan.cells[3]) == Strings{"plaintcp", "plaintcp#2"});  // [tls] does not apply to it
  CHECK(plan.cells[3].baseline == "plaintcp");
}

TEST_CASE("arms = a number's key, with its baseline as a number") {
  const ScenarioPlan plan =
      plan_of(echo_head() + "arms = \"traffic.pipeline\"\nbaseline = 8\n[matrix]\n\"traffic.pipeline\" = [1, 8]\n");
  CHECK(plan.cells[0].baseline == "8");
  CHECK(arm_ids(plan.cells[0]) == Strings{"1", "8", "8#2"});
}

TEST_CASE("what can be compared") {
  const auto arms = [](const std::string& head, const std::string& key, const std::string& values) {
    return arm_ids(plan_of(head + "arms = \"" + key + "\"\n[measure]\nself_check = false\n[matrix]\n\"" + key +
                           "\" = " + values + "\n")
                       .cells[0]);
  };
  CHECK(arms(echo_head(), "roles.client.transport", "[\"fd\", \"wire\"]") == Strings{"fd", "wire"});
  CHECK(arms(engine_head(), "engine.operation", "[\"wrap\", \"unwrap\"]") == Strings{"wrap", "unwrap"});
  CHECK(arms(echo_head(), "tls.policy", "[\"pinned\", \"as-shipped\"]") == Strings{"pinned", "as-shipped"});
  CHECK(arms(echo_head(), "roles.client", "[\"openssl\", \"wolfssl\"]") == Strings{"openssl", "wolfssl"});
  const std::string names = "arms = \"roles.client.backend\"\n[roles]\nclient = [\"openssl\", \"wolfssl\"]\n";
  CHECK(arm_ids(plan_of(echo_head() + names).cells[0]) == Strings{"openssl", "wolfssl", "openssl#2"});
  CHECK(arms(echo_head(), "tls.version", "[\"1.2\", \"1.3\"]") == Strings{"1.2", "1.3"});
}

TEST_CASE("the twin is a copy of the baseline") {
  const ScenarioPlan plan = plan_of(echo_head() + "baseline = \"plaintcp\"\n");
  const CellPlan& cell = plan.cells[0];
  REQUIRE(cell.arms.size() == 3);
  CHECK(cell.arms[2].id == "plaintcp#2");
  CHECK(cell.arms[2].backend == "plaintcp");
  CHECK(cell.arms[2].twin);
  CHECK_FALSE(cell.arms[1].twin);
  CHECK(to_json(cell.arms[2].settings) == to_json(cell.arms[1].settings));
  CHECK(plan_of(echo_head() + "[measure]\nself_check = false\n").cells[0].arms.size() == 2);
}

TEST_CASE("values without effect make no cells") {
  ScenarioPlan plan = plan_of(engine_head() +
                              "[matrix]\n\"engine.message_size\" = [\"64B\", \"1KiB\"]\n\"engine.operation\" = "
                              "[\"handshake\", \"wrap\"]\n");
  CHECK(cell_ids(plan) == Strings{"test/operation=handshake", "test/message_size=64B/operation=wrap",
                                  "test/message_size=1KiB/operation=wrap"});
  plan = plan_of(echo_head() +
                 "[matrix]\n\"roles.server.transport\" = [\"fd\", \"wire\"]\n\"socket.read_size\" = "
                 "[\"4KiB\", \"64KiB\"]\n");
  CHECK(cell_ids(plan) ==
        Strings{"test/transport=fd", "test/transport=wire/read_size=4KiB", "test/transport=wire/read_size=64KiB"});
  plan = plan_of(
      "schema = 1\nworkload = \"echo\"\nbackends = [\"plaintcp\"]\n[matrix]\n\"tls.version\" = [\"1.2\", "
      "\"1.3\"]\n");
  CHECK(cell_ids(plan) == Strings{"test"});
}

TEST_CASE("the transport of a role has an effect on plaintcp, a name has none") {
  const std::string plain = "schema = 1\nworkload = \"echo\"\nbackends = [\"plaintcp\"]\n[matrix]\n\"roles.client\" = ";
  CHECK(cell_ids(plan_of(plain + "[{ transport = \"fd\" }, { transport = \"wire\" }]\n")) ==
        Strings{"test/client=fd", "test/client=wire"});
  CHECK(cell_ids(plan_of(plain + "[\"openssl\", \"wolfssl\"]\n")) == Strings{"test"});
}

TEST_CASE("a matrix over [tls] still has plaintcp in every cell") {
  const ScenarioPlan plan = plan_of(echo_head() + "[matrix]\n\"tls.group\" = [\"x25519\", \"secp256r1\"]\n");
  REQUIRE(plan.cells.size() == 2);
  for (const CellPlan& cell : plan.cells) {
    CHECK(arm_ids(cell) == Strings{"openssl", "plaintcp", "openssl#2"});
  }
}

TEST_CASE("per-connection contexts go with handshakes") {
  const ScenarioPlan plan =
      plan_of(engine_head() + "[engine]\noperation = \"handshake\"\ncontext = \"per-connection\"\nthreads = 64\n");
  CHECK(first_settings(plan).engine.context == ContextSharing::per_connection);
  CHECK(first_settings(plan).engine.threads == 64);
}

TEST_CASE("the limits themselves are good") {
  for (const std::string value : {"1", "16777216", "\"1B\"", "\"16MiB\"", "\"16384KiB\""}) {
    CHECK(plan_of(echo_head() + "[traffic]\nmessage_size = " + value + "\n").cells.size() == 1);
  }
  for (const std::string value : {"1", "10000", "0x10", "1_000"}) {
    CHECK(plan_of(echo_head() + "[traffic]\nconnections = " + value + "\n").cells.size() == 1);
  }
  CHECK(first_settings(plan_of(echo_head() + "[tls]\ntickets = 0\n")).tls.tickets == 0);
  CHECK(first_settings(plan_of(echo_head() + "[tls]\ntickets = 8\n")).tls.tickets == 8);
  CHECK(first_settings(plan_of(echo_head() + "[socket]\nsend_buffer = \"default\"\n")).socket.send_buffer == 0);
}

TEST_CASE("ten thousand arms, and no more") {
  std::string values;
  for (int i = 1; i <= 50; ++i) {
    values += std::to_string(i) + ", ";
  }
  const std::string text = "[measure]\nself_check = false\n[matrix]\n\"traffic.connections\" = [" + values +
                           "]\n\"traffic.reply_size\" = [" + values + "]\n\"traffic.message_size\" = [1, 2";
  CHECK(plan_of(echo_head() + text + "]\n").cells.size() == 5'000);
  CHECK_FALSE(read(echo_head() + text + ", 3]\n").plan.has_value());
}

TEST_CASE("byte-order mark, CRLF, no final newline, names of other scripts in strings") {
  CHECK(plan_of("\xef\xbb\xbf" + echo_head()).cells.size() == 1);
  std::string crlf;
  for (const char c : full_echo) {
    crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  CHECK(plan_of(crlf).description == "Everything.");
  CHECK(plan_of(echo_head() + "description = \"\xc3\xa9\"").description == "\xc3\xa9");
  // A column counts characters, not bytes.
  const Outcome outcome = read(echo_head() + "roles = { client = \"\xc3\xa9\xc3\xa9\", sever = 1 }\n");
  REQUIRE(outcome.diagnostics.size() == 2);
  CHECK(outcome.diagnostics[0].column == 20);
  CHECK(outcome.diagnostics[1].column == 26);
}

TEST_CASE("a backend that was found beside the shipped ones") {
  const Directory directory;
  const auto file = directory.write("x.toml", "schema = 1\nworkload = \"engine\"\nbackends = [\"mbedtls\"]\n");
  CHECK(read_scenario(file, {}, {{"openssl", "mbedtls"}}).plan.has_value());
  CHECK_FALSE(read_scenario(file, {}, known()).plan.has_value());
}
