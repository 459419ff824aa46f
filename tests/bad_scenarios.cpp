// Bad scenario files in the real program: each ends `tlsrig validate` and `tlsrig run` with exit 2 before anything
// runs, and every fault stands on a line of its own that names file, line, column, key, and what to write instead.
// Which values each key refuses is tested at the reader (scenario_errors.cpp); here it is the whole way from a file to
// the user.
#include <doctest/doctest.h>

#include <sstream>

#include "support/program.hpp"

using namespace tlsrig::tests;

namespace {

// A line of stderr: "FILE" + place + ": " + ... with these words in it. place: ":LINE:COLUMN: KEY", or ": KEY".
struct Fault {
  std::string place;
  std::vector<std::string> words;
};

struct Bad {
  std::string name;  // of the file
  std::string text;
  std::vector<Fault> faults;  // all of them, in order
};

const std::string echo = "schema = 1\nworkload = \"echo\"\nbackends = [\"openssl\", \"plaintcp\"]\n";
const std::string engine = "schema = 1\nworkload = \"engine\"\nbackends = [\"openssl\", \"plaintcp\"]\n";

const std::vector<Bad>& unknown_and_misplaced() {
  static const std::vector<Bad> list{
      {"typo",
       echo + "[traffic]\nmesage_size = 1024\n",
       {{":5:1: traffic.mesage_size", {"did you mean \"message_size\""}}}},
      {"table", echo + "[senario]\nx = 1\n", {{":4:2: senario", {"unknown", "\"traffic\""}}}},
      {"near-table", echo + "[trafic]\nconnections = 1\n", {{":4:2: trafic", {"did you mean \"traffic\""}}}},
      {"top-typo", echo + "descripton = \"x\"\n", {{":4:1: descripton", {"did you mean \"description\""}}}},
      {"wrong-table", echo + "[tls]\nconnections = 4\n", {{":5:1: tls.connections", {"belongs in [traffic]"}}}},
      {"no-table", echo + "message_size = 1024\n", {{":4:1: message_size", {"belongs in [traffic]"}}}},
      {"nested",
       echo + "[measure]\nblocks = { min = 8, mux = 9 }\n",
       {{":5:21: measure.blocks.mux", {"did you mean \"max\""}}}},
      {"axis",
       echo + "[matrix]\n\"traffic.mesage_size\" = [64]\n",
       {{":5:1: traffic.mesage_size", {"did you mean \"traffic.message_size\""}}}},
      {"axis-short",
       echo + "[matrix]\n\"message_size\" = [64]\n",
       {{":5:1: message_size", {"\"traffic.message_size\""}}}},
      {"engine-traffic", engine + "[traffic]\nconnections = 1\n", {{":4:2: traffic", {"workload", "engine"}}}},
      {"echo-engine", echo + "[engine]\nthreads = 1\n", {{":4:2: engine", {"workload", "echo"}}}},
      {"array", echo + "[[traffic]]\nconnections = 2\n", {{":4:1: traffic", {"found a list", "[traffic]"}}}},
  };
  return list;
}

const std::vector<Bad>& values() {
  static const std::vector<Bad> list{
      {"zero", echo + "[traffic]\nconnections = 0\n", {{":5:15: traffic.connections", {"found 0", "1 to 10000"}}}},
      {"negative", echo + "[traffic]\nconnections = -1\n", {{":5:15: traffic.connections", {"found -1"}}}},
      {"int-max", echo + "[traffic]\nthreads = 2147483648\n", {{":5:11: traffic.threads", {"1 to 64"}}}},
      {"long-max", echo + "[traffic]\npipeline = 9223372036854775807\n", {{":5:12: traffic.pipeline", {"1 to 1024"}}}},
      {"beyond-64", echo + "[traffic]\npipeline = 9223372036854775808\n", {{":5:12: traffic.pipeline", {"64 bits"}}}},
      {"infinite", echo + "[traffic]\nconnections = 1e400\n", {{":5:15: traffic.connections", {"1e400"}}}},
      {"nan", echo + "[traffic]\nconnections = nan\n", {{":5:15: traffic.connections", {"found nan"}}}},
      {"fraction", echo + "[traffic]\nconnections = 1.5\n", {{":5:15: traffic.connections", {"found 1.5"}}}},
      {"text-number", echo + "[traffic]\nconnections = \"10\"\n", {{":5:15: traffic.connections", {"found \"10\""}}}},
      {"boolean", echo + "[traffic]\nconnections = true\n", {{":5:15: traffic.connections", {"found true"}}}},
      {"date", echo + "[traffic]\nconnections = 2024-01-01\n", {{":5:15: traffic.connections", {"found "}}}},
      {"empty-size", echo + "[traffic]\nmessage_size = \"\"\n", {{":5:16: traffic.message_size", {"1B to 16MiB"}}}},
      {"zero-size",
       echo + "[traffic]\nmessage_size = 0\n",
       {{":5:16: traffic.message_size", {"found 0", "1B to 16MiB"}}}},
      {"size-case",
       echo + "[traffic]\nmessage_size = \"1kib\"\n",
       {{":5:16: traffic.message_size", {"did you mean \"1KiB\""}}}},
      {"size-space",
       echo + "[traffic]\nmessage_size = \"1 KiB\"\n",
       {{":5:16: traffic.message_size", {"did you mean \"1KiB\""}}}},
      {"size-overflow",
       echo + "[traffic]\nreply_size = \"17179869184GiB\"\n",
       {{":5:14: traffic.reply_size", {"16MiB"}}}},
      {"no-unit", echo + "[measure]\nwarmup = 300\n", {{":5:10: measure.warmup", {"found 300", "\"1s\""}}}},
      {"percent", echo + "[measure]\ntarget_precision = 0.01\n", {{":5:20: measure.target_precision", {"\"0.5%\""}}}},
      {"version-number", echo + "[tls]\nversion = 1.3\n", {{":5:11: tls.version", {"in quotes: \"1.3\""}}}},
      {"group", echo + "[tls]\ngroup = \"X25519\"\n", {{":5:9: tls.group", {"did you mean \"x25519\""}}}},
      {"yes", echo + "[socket]\nnodelay = \"yes\"\n", {{":5:11: socket.nodelay", {"true or false"}}}},
      {"list", echo + "[traffic]\nmessage_size = [1, 2]\n", {{":5:16: traffic.message_size", {"[matrix]"}}}},
      {"own-files",
       echo + "[tls.certificate]\nchain = \"none.pem\"\nkey = \"none.pem\"\ntrust = \"none.pem\"\n",
       {{":5:9: tls.certificate.chain", {"none.pem", "No such file"}},
        {":6:7: tls.certificate.key", {"No such file"}},
        {":7:9: tls.certificate.trust", {"No such file"}}}},
  };
  return list;
}

const std::vector<Bad>& meanings() {
  static const std::vector<Bad> list{
      {"schema-2", "schema = 2\n", {{":1:10: schema", {"found 2", "reads schema 1"}}}},
      {"nothing", "", {{": schema", {"missing"}}, {": workload", {"missing"}}, {": backends", {"missing"}}}},
      {"workload",
       "schema = 1\nworkload = \"eco\"\nbackends = [\"openssl\"]\n",
       {{":2:12: workload", {"did you mean \"echo\""}}}},
      {"later", "schema = 1\nworkload = \"idle\"\nbackends = [\"openssl\"]\n", {{":2:12: workload", {"not offered"}}}},
      {"backend",
       "schema = 1\nworkload = \"echo\"\nbackends = [\"opnssl\"]\n",
       {{":3:13: backends", {"did you mean \"openssl\""}}}},
      {"no-backends", "schema = 1\nworkload = \"echo\"\nbackends = []\n", {{":3:12: backends", {"empty list"}}}},
      {"twice",
       "schema = 1\nworkload = \"echo\"\nbackends = [\"openssl\", \"openssl\"]\n",
       {{":3:24: backends", {"twice"}}}},
      {"arms", echo + "arms = \"tls.cypher\"\n", {{":4:8: arms", {"did you mean \"tls.cipher\""}}}},
      {"arms-no-axis", echo + "arms = \"tls.cipher\"\n", {{":4:8: arms", {"[matrix]"}}}},
      {"baseline", echo + "baseline = \"wolfssl\"\n", {{":4:12: baseline", {"\"openssl\", \"plaintcp\""}}}},
      {"cipher-13",
       echo + "[tls]\nversion = \"1.2\"\ncipher = \"TLS_AES_128_GCM_SHA256\"\n",
       {{":6:10: tls.cipher", {"suite of TLS 1.3"}}}},
      {"cipher-key",
       echo + "[tls]\nversion = \"1.2\"\ncipher = \"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\"\ncertificate = "
              "\"rsa-2048\"\n",
       {{":6:10: tls.cipher", {"rsa-2048", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"}}}},
      {"resumed",
       engine + "[engine]\noperation = \"handshake-resumed\"\ncontext = \"per-connection\"\n[tls]\nresumption = "
                "\"ticket\"\ntickets = 1\n",
       {{":6:11: engine.context", {"\"shared\""}}}},
      {"no-values", echo + "[matrix]\n\"tls.group\" = []\n", {{":5:15: tls.group", {"empty list"}}}},
      {"same-cell",
       echo + "[matrix]\n\"traffic.reply_size\" = [\"1KiB\", 1024]\n",
       {{":5:33: traffic.reply_size", {"twice"}}}},
      {"threads",
       echo + "[traffic]\nconnections = 2\nthreads = 3\n",
       {{":6:11: traffic.threads", {"traffic.connections = 2"}}}},
      {"product",
       echo + "[traffic]\nconnections = 10000\nmessage_size = \"16MiB\"\n",
       {{":5:15: traffic.connections", {"10000 x", "8GiB"}}}},
      {"blocks", echo + "[measure]\nblocks = { min = 9, max = 8 }\n", {{":5:27: measure.blocks.max", {"min = 9"}}}},
      {"slice",
       echo + "[measure]\nblock = \"100ms\"\nslice = \"200ms\"\n",
       {{":6:9: measure.slice", {"measure.block"}}}},
      {"threshold",
       echo + "[thresholds]\nratio = [{ backend = \"opnssl\", metric = \"throughput\", expr = \"low about 1\" }]\n",
       {{":5:22: thresholds.ratio.backend", {"did you mean \"openssl\""}},
        {":5:62: thresholds.ratio.expr", {"low > 0.95"}}}},
      {"many",
       echo + "nam = \"x\"\n[traffic]\nconnections = 0\nmessage_size = \"1kib\"\n[tls]\nversion = \"1.1\"\ngruop = 1\n",
       {{":4:1: nam", {"did you mean \"name\""}},
        {":6:15: traffic.connections", {"1 to 10000"}},
        {":7:16: traffic.message_size", {"did you mean \"1KiB\""}},
        {":9:11: tls.version", {"\"1.2\", \"1.3\""}},
        {":10:1: tls.gruop", {"did you mean \"group\""}}}},
  };
  return list;
}

const std::vector<Bad>& syntax() {
  using namespace std::string_literals;
  static const std::vector<Bad> list{
      {"utf-16", "\xff\xfes\0c\0h\0"s, {{":1:1", {"looks like UTF-16"}}}},
      {"utf-16-no-mark", "s\0c\0h\0e\0"s, {{":1:1", {"looks like UTF-16"}}}},
      {"latin-1", echo + "description = \"caf\xe9\"\n", {{":4:", {"utf-8"}}}},
      {"nul", echo + "description = \"a\0b\"\n"s, {{":4:17: description", {"control"}}}},
      {"mac", "schema = 1\rworkload = \"echo\"\n", {{":1:12: schema", {"\\r"}}}},
      {"bracket", echo + "[traffic\n", {{":4:9", {"not valid TOML"}}}},
      {"no-value", echo + "name = \n", {{":4:8: name", {"not valid TOML"}}}},
      {"key-twice",
       echo + "[traffic]\nconnections = 1\nconnections = 2\n",
       {{":6:15: traffic.connections", {"twice"}}}},
      {"table-twice", echo + "[tls]\n[tls]\n", {{":5:1", {"twice"}}}},
      {"markdown", "# A scenario\n\nIt measures **echo**.\n", {{":3:4", {"not valid TOML"}}}},
  };
  return list;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void check_refused(const Bad& bad) {
  const Scratch scratch;
  const std::string file = bad.name + ".toml";
  scratch.file(file, bad.text);
  for (const char* command : {"validate", "run"}) {
    const Ended ended = run_program({command, file}, scratch.path());
    INFO(command, " ", bad.name, " said:\n", ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK_FALSE(std::filesystem::exists(scratch / "results"));
    const auto lines = lines_of(ended.err);
    REQUIRE(lines.size() == bad.faults.size() + 1);  // the last one counts them
    for (std::size_t i = 0; i < bad.faults.size(); ++i) {
      CHECK(lines[i].starts_with(file + bad.faults[i].place));
      for (const std::string& word : bad.faults[i].words) {
        INFO("expected: ", word);
        CHECK(lines[i].find(word) != std::string::npos);
      }
    }
    CHECK(lines.back().starts_with("tlsrig: " + std::to_string(bad.faults.size()) + " fault"));
  }
}

void check_all(const std::vector<Bad>& list) {
  for (const Bad& bad : list) check_refused(bad);
}

}  // namespace

TEST_CASE("unknown keys and keys out of place") { check_all(unknown_and_misplaced()); }
TEST_CASE("values of the wrong kind, out of range or without their unit") { check_all(values()); }
TEST_CASE("values that mean nothing together") { check_all(meanings()); }
TEST_CASE("what is no TOML") { check_all(syntax()); }

TEST_CASE("these are more than forty files") {
  CHECK(unknown_and_misplaced().size() + values().size() + meanings().size() + syntax().size() > 40);
}

TEST_CASE("a file that cannot be read") {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "directory.toml");
  scratch.file("good.toml", echo);
  for (const char* command : {"validate", "run"})
    for (const auto& [file, words] : {std::pair("none.toml", "No such file"), std::pair("directory.toml", "irectory"),
                                      std::pair("good.toml/x.toml", "Not a directory")}) {
      const Ended ended = run_program({command, file}, scratch.path());
      INFO(ended.err);
      CHECK(ended.status == 2);
      CHECK(ended.err.starts_with(file));
      CHECK(ended.err.find(words) != std::string::npos);
    }
}

TEST_CASE("faults of two files are told of both, and neither is run") {
  const Scratch scratch;
  scratch.file("a.toml", echo + "nam = 1\n");
  scratch.file("b.toml", echo + "[tls]\ngruop = 1\n");
  const Ended ended = run_program({"run", "a.toml", "b.toml"}, scratch.path());
  CHECK(ended.status == 2);
  CHECK(ended.err.find("a.toml:4:1: nam") != std::string::npos);
  CHECK(ended.err.find("b.toml:5:1: tls.gruop") != std::string::npos);
  CHECK(ended.err.find("2 faults") != std::string::npos);
}

TEST_CASE("a byte order mark, Windows' line ends and a missing last line end are no faults") {
  const Scratch scratch;
  scratch.file("mark.toml", "\xef\xbb\xbf" + echo);
  scratch.file("windows.toml", "schema = 1\r\nworkload = \"echo\"\r\nbackends = [\"openssl\"]\r\n");
  scratch.file("end.toml", "schema = 1\nworkload = \"echo\"\nbackends = [\"openssl\"]");
  const Ended ended = run_program({"validate", "mark.toml", "windows.toml", "end.toml"}, scratch.path());
  INFO(ended.err);
  CHECK(ended.status == 0);
}
