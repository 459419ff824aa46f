// Bad scenario files: each is refused at the right line and column, with the key and the words that help.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

// One expected diagnostic.
struct Expected {
  unsigned line, column;
  std::string key;
  std::vector<std::string> words;
};

struct Bad {
  std::string text;
  std::vector<Expected> expected;  // all of them, in the order of the file
};

void check(const Bad& bad) {
  const Outcome outcome = read(bad.text);
  CAPTURE(bad.text);
  const std::string told = all_text(outcome);
  CAPTURE(told);
  CHECK_FALSE(outcome.plan.has_value());
  REQUIRE(outcome.diagnostics.size() == bad.expected.size());
  for (std::size_t i = 0; i < bad.expected.size(); ++i) {
    const Diagnostic& diagnostic = outcome.diagnostics[i];
    const Expected& expected = bad.expected[i];
    CHECK(diagnostic.line == expected.line);
    CHECK(diagnostic.column == expected.column);
    CHECK(diagnostic.key == expected.key);
    for (const std::string& word : expected.words) {
      CAPTURE(word);
      CHECK(diagnostic.what().find(word) != std::string::npos);
    }
  }
}

void check_all(const std::vector<Bad>& list) {
  for (const Bad& bad : list) {
    check(bad);
  }
}

const std::string head = echo_head();
const std::string engine = engine_head();

}  // namespace

TEST_CASE("unknown keys name the nearest known one") {
  check_all({
      {head + "mesage_size = 1\n",
       {{4, 1, "mesage_size", {"unknown", "\"message_size\"", "[traffic] or in [engine]"}}}},
      {head + "[trafic]\nconnections = 1\n", {{4, 2, "trafic", {"unknown", "did you mean \"traffic\""}}}},
      {head + "[senario]\nx = 1\n", {{4, 2, "senario", {"unknown", "\"traffic\"", "\"measure\""}}}},
      {head + "[traffic]\n conections = 1\n", {{5, 2, "traffic.conections", {"did you mean \"connections\""}}}},
      {head + "[measure]\nblocks = { min = 8, mux = 9 }\n", {{5, 21, "measure.blocks.mux", {"did you mean \"max\""}}}},
      {head + "[tls.certificate]\nchian = \"x\"\n", {{5, 1, "tls.certificate.chian", {"did you mean \"chain\""}}}},
      {head + "\"\" = 1\n", {{4, 1, "", {"unknown key"}}}},
  });
}

TEST_CASE("a known key in the wrong table is sent to the right one") {
  check_all({
      {head + "message_size = \"1KiB\"\n", {{4, 1, "message_size", {"belongs in [traffic] or in [engine]"}}}},
      {head + "[traffic]\nversion = \"1.2\"\n", {{5, 1, "traffic.version", {"belongs in [tls]"}}}},
      {head + "[tls]\nworkload = \"echo\"\n", {{5, 1, "tls.workload", {"belongs at the top of the file"}}}},
      {head + "\"traffic.connections\" = 3\n", {{4, 1, "traffic.connections", {"[matrix]", "[traffic]"}}}},
  });
}

TEST_CASE("all faults of a file come in one go, in its order") {
  check(
      {head + "nam = \"x\"\n[traffic]\nconnections = 0\nmessage_size = \"1kib\"\n[tls]\nversion = \"1.1\"\ngruop = 1\n",
       {{4, 1, "nam", {"did you mean \"name\""}},
        {6, 15, "traffic.connections", {"found 0", "1 to 10000"}},
        {7, 16, "traffic.message_size", {"found \"1kib\""}},
        {9, 11, "tls.version", {"\"1.2\", \"1.3\""}},
        {10, 1, "tls.gruop", {"did you mean \"group\""}}}});
}

TEST_CASE("sizes: what is refused says what was found, what is allowed and an example") {
  const std::vector<std::string> refused{"0",          "-1",           "16777217",  "2147483648", "9223372036854775807",
                                         "nan",        "inf",          "1.5",       "\"10\"",     "\"1 KiB\"",
                                         "\"1kib\"",   "\"\"",         "true",      "[1, 2]",     "\"-1B\"",
                                         "\"1.5KiB\"", "\"16385KiB\"", "\"1TiB\"",  "\"+1B\"",    "\"KiB\"",
                                         "\"0B\"",     "\"1e3B\"",     "1979-05-27"};
  for (const std::string& value : refused) {
    check({head + "[traffic]\nmessage_size = " + value + "\n",
           {{5, 16, "traffic.message_size", {"found ", "1B to 16MiB", "B, KiB, MiB or GiB"}}}});
  }
  check({head + "[traffic]\nmessage_size = { a = 1 }\n", {{5, 1, "traffic.message_size", {"found a table"}}}});
  for (const std::string overflow :
       {"\"17179869184GiB\"", "\"18446744073709551616B\"", "\"99999999999999999999999KiB\""}) {
    check({head + "[traffic]\nmessage_size = " + overflow + "\n", {{5, 16, "traffic.message_size", {"16MiB"}}}});
  }
}

TEST_CASE("sizes: a near miss is understood") {
  const std::vector<std::pair<std::string, std::string>> near{{"1kib", "1KiB"}, {"1 KiB", "1KiB"}, {"1KB", "1KiB"},
                                                              {"10", "10B"},    {"2m", "2MiB"},    {"64 bytes", "64B"}};
  for (const auto& [wrong, right] : near) {
    check({head + "[traffic]\nmessage_size = \"" + wrong + "\"\n",
           {{5, 16, "traffic.message_size", {"did you mean \"" + right + "\"?"}}}});
  }
}

TEST_CASE("whole numbers") {
  for (const std::string value : {"0", "-1", "10001", "2147483648", "4294967296", "9223372036854775807", "1.5",
                                  "\"16\"", "true", "nan", "inf", "\"\""}) {
    check({head + "[traffic]\nconnections = " + value + "\n",
           {{5, 15, "traffic.connections", {"found ", "1 to 10000", "connections = 64"}}}});
  }
  check_all({
      {head + "[traffic]\nconnections = 10\nthreads = 65\n", {{6, 11, "traffic.threads", {"1 to 64"}}}},
      {head + "[traffic]\npipeline = 1025\n", {{5, 12, "traffic.pipeline", {"1 to 1024"}}}},
      {head + "[tls]\ntickets = 9\n", {{5, 11, "tls.tickets", {"0 to 8"}}}},
      {head + "[measure]\nseed = -1\n", {{5, 8, "measure.seed", {"found -1"}}}},
      {head + "[measure]\nblocks = { min = 0, max = 1001 }\n",
       {{5, 18, "measure.blocks.min", {"1 to 1000"}}, {5, 27, "measure.blocks.max", {"1 to 1000"}}}},
      {head + "[traffic]\nconnections = [1, 2]\n",
       {{5, 15, "traffic.connections", {"found a list", "[matrix]", "\"traffic.connections\" = [...]"}}}},
      {head + "[traffic]\nconnections.x = 1\n", {{5, 1, "traffic.connections", {"found a table"}}}},
  });
}

TEST_CASE("numbers that TOML itself cannot hold still name their key") {
  check_all({
      {head + "[traffic]\nmessage_size = 9223372036854775808\n",
       {{5, 16, "traffic.message_size", {"9223372036854775808", "64 bits"}}}},
      {head + "[traffic]\nmessage_size = -9223372036854775809\n", {{5, 16, "traffic.message_size", {"64 bits"}}}},
      {head + "[traffic]\nconnections = 1e400\n", {{5, 15, "traffic.connections", {"1e400"}}}},
  });
}

TEST_CASE("durations, percentages and rates") {
  for (const std::string value : {"300", "\"300\"", "\"0ms\"", "\"9ms\"", "\"11min\"", "\"1 s\"", "\"1.5s\"", "\"\"",
                                  "true", "0.3", "\"18446744073709551615min\""}) {
    check({head + "[measure]\nwarmup = " + value + "\n", {{5, 10, "measure.warmup", {"10ms to 10min", "\"1s\""}}}});
  }
  check({head + "[measure]\nwarmup = \"1sec\"\n", {{5, 10, "measure.warmup", {"did you mean \"1s\""}}}});
  check({head + "[measure]\nslice = \"automatic\"\n", {{5, 9, "measure.slice", {"\"auto\", or a duration"}}}});
  for (const std::string value :
       {"1", "0.01", "\"1\"", "\"0%\"", "\"101%\"", "\"1 %\"", "\"nan%\"", "\"-1%\"", "\"%\""}) {
    check({head + "[measure]\ntarget_precision = " + value + "\n",
           {{5, 20, "measure.target_precision", {"0.01% to 100%", "\"0.5%\""}}}});
  }
  check_all({
      {head + "[traffic]\nrate = \"5kps\"\n", {{5, 8, "traffic.rate", {"k/s", "\"closed\""}}}},
      {head + "[traffic]\nrate = \"5k/s\"\n", {{5, 8, "traffic.rate", {"not offered by this version", "\"closed\""}}}},
  });
}

TEST_CASE("words: allowed list, nearest, quotes") {
  check_all({
      {head + "[tls]\nversion = 1.3\n", {{5, 11, "tls.version", {"found 1.3", "in quotes: \"1.3\""}}}},
      {head + "[tls]\nversion = \"1.4\"\n", {{5, 11, "tls.version", {"\"1.2\", \"1.3\""}}}},
      {head + "[tls]\ngroup = \"X25519\"\n", {{5, 9, "tls.group", {"did you mean \"x25519\"", "secp384r1"}}}},
      {head + "[tls]\nverify = \"peer\"\n", {{5, 10, "tls.verify", {"\"none\", \"server\", \"client\", \"both\""}}}},
      {head + "[tls]\ncertificate = \"rsa-1024\"\n", {{5, 15, "tls.certificate", {"rsa-2048", "ecdsa-p256"}}}},
      {head + "[tls]\npolicy = \"as_shipped\"\n", {{5, 10, "tls.policy", {"did you mean \"as-shipped\""}}}},
      {head + "[socket]\nnodelay = 1\n", {{5, 11, "socket.nodelay", {"true or false"}}}},
      {head + "[roles]\nserver = { transport = \"file\" }\n",
       {{5, 24, "roles.server.transport", {"\"fd\", \"wire\""}}}},
      {head + "name = \"a/../b\"\n", {{4, 8, "name", {"letters, digits"}}}},
      {head + "name = \"\"\n", {{4, 8, "name", {"letters, digits"}}}},
      {head + "description = 3\n", {{4, 15, "description", {"a string"}}}},
  });
}

TEST_CASE("cipher suites: known, of the version, for the certificate") {
  check_all({
      {head + "[tls]\ncipher = \"TLS_AES_128_GCM_SHA265\"\n",
       {{5,
         10,
         "tls.cipher",
         {"did you mean \"TLS_AES_128_GCM_SHA256\"", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"}}}},
      {head + "[tls]\ncipher = \"ECDHE-RSA-AES128-GCM-SHA256\"\n",
       {{5, 10, "tls.cipher", {"TLS_ECDHE_RSA_WITH_AES_128"}}}},
      {head + "[tls]\nversion = \"1.2\"\ncipher = \"TLS_AES_128_GCM_SHA256\"\n",
       {{6,
         10,
         "tls.cipher",
         {"suite of TLS 1.3", "tls.version = \"1.2\"", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"}}}},
      {head + "[tls]\ncipher = \"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\"\n",
       {{5, 10, "tls.cipher", {"suite of TLS 1.2", "tls.version = \"1.3\""}}}},
      {head + "[tls]\nversion = \"1.2\"\ncipher = \"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\"\n"
              "certificate = \"rsa-2048\"\n",
       {{6, 10, "tls.cipher", {"tls.certificate = \"rsa-2048\"", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}}}},
      {head + "[tls]\nversion = \"1.2\"\ncertificate = { chain = \"c\", key = \"k\", trust = \"t\" }\n",
       {{5, 11, "tls.version", {"tls.cipher is needed", "tls.version = \"1.2\""}},
        {6, 25, "tls.certificate.chain", {"No such file"}},
        {6, 36, "tls.certificate.key", {"No such file"}},
        {6, 49, "tls.certificate.trust", {"No such file"}}}},
      {head + "[tls]\ncertificate = { chain = \"c\", key = \"k\" }\n",
       {{5, 25, "tls.certificate.trust", {"tls.certificate.trust: missing", "chain, key and trust"}},
        {5, 25, "tls.certificate.chain", {"No such file"}},
        {5, 36, "tls.certificate.key", {"No such file"}}}},
      // The same fault in several cells is told once, at the value of the axis.
      {head + "[matrix]\n\"tls.version\" = [\"1.3\", \"1.2\"]\n\"tls.cipher\" = [\"TLS_AES_128_GCM_SHA256\"]\n"
              "\"traffic.connections\" = [1, 2]\n",
       {{6, 17, "tls.cipher", {"suite of TLS 1.3", "tls.version = \"1.2\""}}}},
  });
}

TEST_CASE("backends and roles") {
  const std::string two = "schema = 1\nworkload = \"echo\"\n";
  check_all({
      {two + "backends = [\"opnssl\"]\n", {{3, 13, "backends", {"\"opnssl\"", "did you mean \"openssl\"", "wolfssl"}}}},
      {two + "backends = [\"openssl\", \"mbedtls\"]\n", {{3, 24, "backends", {"\"mbedtls\"", "\"boringssl\""}}}},
      {two + "backends = [\"openssl\", \"openssl\"]\n", {{3, 24, "backends", {"twice"}}}},
      {two + "backends = []\n", {{3, 12, "backends", {"empty list"}}}},
      {two + "backends = \"openssl\"\n", {{3, 12, "backends", {"a list of"}}}},
      {two + "backends = [1]\n", {{3, 13, "backends", {"found 1"}}}},
      {two, {{0, 0, "backends", {"missing", "backends = ["}}}},
      {head + "[roles]\nserver = \"boringsl\"\n", {{5, 10, "roles.server.backend", {"did you mean \"boringssl\""}}}},
      {head + "[roles]\nclient = \"openssl\"\nserver = \"wolfssl\"\n",
       {{5, 10, "roles.client.backend", {"no role is \"backend\""}}}},
      {head + "[roles]\nserver = \"plaintcp\"\n",
       {{5, 10, "roles.server.backend", {"plaintcp speaks no TLS", "openssl"}}}},
      {head + "baseline = \"wolfssl\"\n", {{4, 12, "baseline", {"\"openssl\", \"plaintcp\""}}}},
      {head + "baseline = \"opensll\"\n", {{4, 12, "baseline", {"did you mean \"openssl\""}}}},
      {head + "arms = \"tls.cipher\"\n", {{4, 8, "arms", {"\"backends\"", "write under [matrix]"}}}},
      {head + "arms = \"tls.cypher\"\n", {{4, 8, "arms", {"did you mean \"tls.cipher\""}}}},
      {head + "arms = \"tls.group\"\nbaseline = \"x448\"\n[matrix]\n\"tls.group\" = [\"x25519\", \"secp256r1\"]\n",
       {{5, 12, "baseline", {"\"x25519\", \"secp256r1\""}}}},
  });
}

TEST_CASE("schema and workload") {
  check_all({
      {"schema = 2\nwhatever = 1\n", {{1, 10, "schema", {"found 2", "reads schema 1"}}}},
      {"schema = \"1\"\nworkload = \"echo\"\nbackends = [\"openssl\"]\n", {{1, 10, "schema", {"found \"1\""}}}},
      {"workload = \"echo\"\nbackends = [\"openssl\"]\n", {{0, 0, "schema", {"missing", "schema = 1"}}}},
      {"schema = 1\nbackends = [\"openssl\"]\n", {{0, 0, "workload", {"missing", "\"engine\", \"echo\""}}}},
      {"schema = 1\nworkload = \"eco\"\nbackends = [\"openssl\"]\n", {{2, 12, "workload", {"did you mean \"echo\""}}}},
      {"schema = 1\nworkload = \"connect\"\nbackends = [\"openssl\"]\n",
       {{2, 12, "workload", {"\"connect\" is not offered by this version; offered: \"engine\", \"echo\""}}}},
      {"", {{0, 0, "schema", {"missing"}}, {0, 0, "workload", {"missing"}}, {0, 0, "backends", {"missing"}}}},
  });
}

TEST_CASE("keys and tables of other workloads name the workload they belong to") {
  check_all({
      {engine + "[traffic]\nconnections = 1\n", {{4, 2, "traffic", {"belongs to the workloads echo", "is engine"}}}},
      {engine + "[socket]\nnodelay = true\n", {{4, 2, "socket", {"echo", "is engine"}}}},
      {engine + "[roles]\nserver = { transport = \"wire\" }\n", {{5, 12, "roles.server.transport", {"is engine"}}}},
      {head + "[engine]\nthreads = 1\n", {{4, 2, "engine", {"belongs to the workload engine", "is echo"}}}},
      {head + "[matrix]\n\"engine.operation\" = [\"wrap\"]\n", {{5, 1, "engine.operation", {"the workload engine"}}}},
      {head + "[connect]\n", {{4, 2, "connect", {"the workload connect"}}}},
  });
}

TEST_CASE("resumption that no handshake can keep is refused") {
  const std::string resumed = engine + "[engine]\noperation = \"handshake-resumed\"\n";
  const std::string ticket = "[tls]\nresumption = \"ticket\"\n", id = "[tls]\nresumption = \"session-id\"\n";
  CHECK(read(resumed + ticket + "tickets = 1\n").plan.has_value());
  CHECK(read(resumed + id + "version = \"1.2\"\n").plan.has_value());
  const std::string both = "[matrix]\n\"engine.operation\" = [\"handshake\", \"handshake-resumed\"]\n";
  CHECK(read(engine + ticket + "tickets = 2\n" + both).plan.has_value());
  check_all({
      {resumed, {{5, 13, "engine.operation", {"needs tls.resumption = \"ticket\""}}}},
      {resumed + ticket, {{7, 14, "tls.resumption", {"tls.tickets = 1, or more"}}}},
      {resumed + ticket + "tickets = 0\n", {{8, 11, "tls.tickets", {"tls.tickets = 1, or more"}}}},
      {resumed + id, {{7, 14, "tls.resumption", {"tls.version = \"1.2\"", "TLS 1.3 resumes by tickets alone"}}}},
      {resumed + id + "version = \"1.2\"\npolicy = \"as-shipped\"\n", {{7, 14, "tls.resumption", {"pinned"}}}},
      {resumed + id + "version = \"1.2\"\ntickets = 1\n", {{9, 11, "tls.tickets", {"must be 0"}}}},
      {resumed + "context = \"per-thread\"\n" + ticket + "tickets = 1\n",
       {{6, 11, "engine.context", {"needs engine.context = \"shared\""}}}},
      {head + ticket + "tickets = 1\n", {{5, 14, "tls.resumption", {"workload = \"echo\" resumes no session"}}}},
  });
}

TEST_CASE("what this version does not offer is said, not run as something else") {
  check_all({
      {"schema = 1\nworkload = \"idle\"\nbackends = [\"openssl\"]\n",
       {{2, 12, "workload", {"\"idle\" is not offered", "\"pipe\""}}}},
      {head + "[traffic]\nrate = \"5k/s\"\n", {{5, 8, "traffic.rate", {"not offered", "\"closed\""}}}},
  });
}

TEST_CASE("keys that do not go together") {
  check_all({
      {engine + "[engine]\ncontext = \"per-connection\"\n",
       {{5, 11, "engine.context", {"engine.operation = \"handshake\"", "\"shared\""}}}},
      {head + "[traffic]\nconnections = 2\nthreads = 3\n", {{6, 11, "traffic.threads", {"traffic.connections = 2"}}}},
      {head + "[traffic]\nconnections = 10000\nmessage_size = \"16MiB\"\n",
       {{5, 15, "traffic.connections", {"10000 x (16MiB + 1KiB)", "8GiB"}}}},
      {head + "[measure]\nblocks = { min = 9, max = 8 }\n", {{5, 27, "measure.blocks.max", {"min = 9", "max = 8"}}}},
      {head + "[measure]\nblocks.min = 41\n", {{5, 14, "measure.blocks.min", {"max = 40"}}}},
      {head + "[measure]\nblock = \"100ms\"\nslice = \"200ms\"\n",
       {{6, 9, "measure.slice", {"measure.block = \"100ms\""}}}},
  });
}

TEST_CASE("tables and lists in the wrong places") {
  check_all({
      {head + "traffic = 3\n", {{4, 11, "traffic", {"found 3", "[traffic]"}}}},
      {head + "[[traffic]]\nconnections = 2\n", {{4, 1, "traffic", {"found a list", "[traffic]"}}}},
      {head + "matrix = 3\n", {{4, 10, "matrix", {"found 3", "[matrix]"}}}},
      {head + "[measure]\nblocks = 8\n", {{5, 10, "measure.blocks", {"found 8", "[measure.blocks]"}}}},
      {head + "[name]\nx = 1\n", {{4, 2, "name", {"found a table"}}}},
  });
}

TEST_CASE("the axes of [matrix]") {
  check_all({
      {head + "[matrix]\n\"message_size\" = [\"1KiB\"]\n", {{5, 1, "message_size", {"\"traffic.message_size\""}}}},
      {head + "[matrix]\n\"traffic.mesage_size\" = [\"1KiB\"]\n",
       {{5, 1, "traffic.mesage_size", {"did you mean \"traffic.message_size\""}}}},
      {head + "[matrix]\n\"traffic\" = [1]\n", {{5, 1, "traffic", {"is a table", "\"connections\""}}}},
      {head + "[matrix]\n\"measure.block\" = [\"1s\"]\n", {{5, 1, "measure.block", {"no axis"}}}},
      {head + "[matrix]\n\"backends\" = [\"openssl\"]\n", {{5, 1, "backends", {"no axis", "`backends`"}}}},
      {head + "[matrix]\n\"tls.group\" = []\n", {{5, 15, "tls.group", {"empty list"}}}},
      {head + "[matrix]\n\"tls.group\" = \"x25519\"\n", {{5, 15, "tls.group", {"needed: a list"}}}},
      {head + "[matrix]\n\"tls.group\" = [[\"x25519\"]]\n", {{5, 16, "tls.group", {"a list in the list"}}}},
      {head + "[matrix]\n\"tls.group\" = [\"x25519\",\n  \"x448\"]\n",
       {{6, 3, "tls.group", {"\"x448\"", "secp384r1"}}}},
      {head + "[matrix]\n\"traffic.pipeline\" = [1, 2, 1]\n", {{5, 29, "traffic.pipeline", {"twice"}}}},
      {head + "[matrix]\n\"traffic.reply_size\" = [\"1KiB\", 1024]\n", {{5, 33, "traffic.reply_size", {"twice"}}}},
      {head + "[roles]\nclient = [\"backend\"]\n[matrix]\n\"roles.client.backend\" = [\"openssl\"]\n",
       {{7, 1, "roles.client.backend", {"twice", "the other is that of roles.client;"}}}},
      {head + "[roles]\nclient = [\"backend\", { transport = \"wire\" }]\n[matrix]\n\"roles.client.transport\" = "
              "[\"fd\"]\n",
       {{7, 1, "roles.client.transport", {"roles.client.transport would", "twice", "that of roles.client;"}}}},
      {head + "[matrix]\n\"roles.client\" = [{ backend = \"opnssl\" }, { trnsport = \"fd\" }, {}]\n",
       {{5, 31, "roles.client.backend", {"did you mean \"openssl\""}},
        {5, 45, "roles.client.trnsport", {"did you mean \"transport\""}},
        {5, 64, "roles.client", {"empty table"}}}},
  });
}

TEST_CASE("too many cells") {
  std::string values;
  for (int i = 1; i <= 150; ++i) {
    values += std::to_string(i) + ", ";
  }
  check({head + "[matrix]\n\"traffic.connections\" = [" + values + "]\n\"traffic.pipeline\" = [" + values + "]\n",
         {{4, 2, "matrix", {"45000 arms", "10000"}}}});
}

TEST_CASE("syntax errors: the first one, at its place") {
  check_all({
      {head + "[traffic]\nconnections = 1\nconnections = 2\n", {{6, 15, "traffic.connections", {"twice"}}}},
      {head + "[tls]\n[tls]\n", {{5, 1, "", {"'tls'", "twice"}}}},
      {head + "[traffic\nconnections = 1\n", {{4, 9, "", {"not valid TOML", "']'"}}}},
      {head + "name = \n", {{4, 8, "name", {"not valid TOML", "value"}}}},
      {head + "name = \"\xe9\"\n", {{4, 8, "name", {"utf-8"}}}},
      {head + std::string("name = \"a\0b\"\n", 13), {{4, 10, "name", {"not valid TOML", "control"}}}},
      {"schema = 1\rworkload = \"echo\"\n", {{1, 12, "schema", {"not valid TOML", "\\r"}}}},
      {"\xff\xfes\0c\0h\0", {{1, 1, "", {"looks like UTF-16"}}}},
      {std::string("s\0c\0h\0", 6), {{1, 1, "", {"looks like UTF-16"}}}},
      {head + "name = " + std::string(1'000, '[') + "\n", {{4, 264, "name", {"depth"}}}},
  });
}

TEST_CASE("files that cannot be read") {
  const Directory directory;
  const auto told = [](const std::filesystem::path& file) {
    const Outcome outcome = read_scenario(file, {}, known());
    CHECK_FALSE(outcome.plan.has_value());
    REQUIRE(outcome.diagnostics.size() == 1);
    CHECK(outcome.diagnostics[0].file == file);
    return outcome.diagnostics[0].what();
  };
  const auto missing = directory.path() / "none.toml";
  CHECK(told(missing) == missing.string() + ": cannot be opened: No such file or directory");
  CHECK(told(directory.path()).find("is a directory") != std::string::npos);
  CHECK(told(directory.write("big.toml", std::string((1 << 20) + 1, '#'))).find("larger than 1MiB") !=
        std::string::npos);
  if (::geteuid() != 0) {  // root reads everything
    const auto closed = directory.write("closed.toml", "schema = 1\n");
    REQUIRE(::chmod(closed.c_str(), 0) == 0);
    CHECK(told(closed).find("cannot be opened: Permission denied") != std::string::npos);
  }
}

TEST_CASE("a file name that cannot be a scenario's name asks for one") {
  const Outcome outcome = read(head, {}, "my scenario.toml");
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].key == "name");
  CHECK(outcome.diagnostics[0].what().find("\"my scenario\"") != std::string::npos);
  CHECK(read(head + "name = \"mine\"\n", {}, "my scenario.toml").plan.has_value());
}

TEST_CASE("what() reads file:line:column: key: message") {
  const Directory directory;
  const auto file = directory.write("x.toml", head + "[traffic]\nconnections = 0\n");
  const Outcome outcome = read_scenario(file, {}, known());
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].what() ==
        file.string() +
            ":5:15: traffic.connections: found 0; allowed: a whole number from 1 to 10000; example: connections = 64");
}

TEST_CASE("control characters of a value do not reach the terminal") {
  const Outcome outcome = read(head + "[tls]\ngroup = \"\\u001b[31m" + std::string(5'000, 'x') + "\"\n");
  REQUIRE(outcome.diagnostics.size() == 1);
  CHECK(outcome.diagnostics[0].message.find('\x1b') == std::string::npos);
  CHECK(outcome.diagnostics[0].message.find("\\x1b[31m") != std::string::npos);
  CHECK(outcome.diagnostics[0].message.size() < 400);
}

TEST_CASE("a control character in a text is named with its place") {
  check_all({
      {head + "description = \"ab\u00e9\\u001b[31mred\"\n",
       {{4, 15, "description", {"found \"ab\u00e9\\x1b[31mred\"", "a control character, U+001B, at character 4;"}}}},
      {head + "description = \"\"\"one\ntwo\"\"\"\n", {{4, 15, "description", {"U+000A, at character 4"}}}},
      {head + "description = \"\\u007f\"\n", {{4, 15, "description", {"U+007F, at character 1"}}}},
      {head + "description = \"x\\u009b1m\"\n", {{4, 15, "description", {"U+009B, at character 2"}}}},
      {head + "[tls]\ncertificate = { chain = \"a\\tb\" }\n",
       {{5, 25, "tls.certificate.chain", {"U+0009, at character 2"}}}},
  });
  CHECK(read(head + "description = \"\\u00a0 \\u00e9 \\u2028\"\n").plan.has_value());
}

TEST_CASE("control characters of a key or a flag do not reach the terminal") {
  const Outcome in_file = read(head + "\"a\\u001b\\u009b\\nb\" = 1\n");
  REQUIRE(in_file.diagnostics.size() == 1);
  CHECK(in_file.diagnostics[0].what().find(":4:1: a\\x1b\\x9b\\x0ab: unknown key") != std::string::npos);
  Overrides overrides;
  overrides.settings = {{"description", "x\x1b[2J"}};
  const Outcome by_flag = read(head, overrides);
  REQUIRE(by_flag.diagnostics.size() == 1);
  CHECK(
      by_flag.diagnostics[0].what().starts_with("-s description=x\\x1b[2J: description: found \"x\\x1b[2J\", which "));
}
