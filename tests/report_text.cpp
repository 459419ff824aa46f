// The terminal report: what a reader is told beside the tables, and where.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/words/format.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using sample::contains;
using sample::line_with;
using sample::one_cell;
using sample::text_of;

TEST_CASE("text: the machine, what machines are compared by and all of it") {
  report::Result result = sample::result();
  result.machine = {{"processor", "AMD EPYC"},
                    {"processor_flags", {"aes", "avx2"}},
                    {"processors", 2},
                    {"memory", "24684084 kB"},
                    {"kernel", "Linux 6.1.0"},
                    {"load", "0.52 0.58 0.59 2/345 12345"},
                    {"descriptors", {{"soft", 1024}}},
                    {"steal", nullptr}};
  const std::string usual = "machine   AMD EPYC, 2 processors, 23.5 GiB memory, Linux 6.1.0, load 0.52 0.58 0.59";
  CHECK(contains(text_of(result), usual + "\n"));
  CHECK(contains(report::to_text(result, {false, true, 160}),
                 usual + ", processor flags aes avx2, descriptors soft 1024\n"));
  result.machine["memory"] = "plenty";
  result.machine["load"] = 0.5;
  CHECK(contains(text_of(result), "plenty memory, Linux 6.1.0, load 0.5\n"));
}

TEST_CASE("text: what it comes to stands last") {
  report::Result result = sample::result();
  result.quick = true;
  result.cells[0].comparisons[0].high = 1.2;
  const std::string text = text_of(result, 200);
  const std::size_t conclusions = text.find("\nConclusions\n");
  REQUIRE(conclusions != std::string::npos);
  for (const char* before : {"\nBackends\n", "\nRun\n", "\nHow to read this", "\nWarnings\n"})
    CHECK(text.find(before) < conclusions);
  const std::string end = text.substr(conclusions);
  CHECK(contains(end, "  echo\n    boringssl: faster than openssl (1.083 x, 95 % interval 1.070 .. 1.096).\n"));
  CHECK(contains(end, "    plaintcp: 2.141 x openssl's throughput; without TLS, not ranked.\n"));
  CHECK(contains(end, "    plaintcp: without TLS, not ranked.\n"));  // of the engine
  CHECK(contains(end, "  engine\n    wolfssl: slower than openssl (0.0309 x"));
  CHECK(contains(end, "\n  A/A not resolved in 1 of 2 cells: "));
  CHECK(end.ends_with(
      "1 unsupported\nQUICK: few and short blocks, for a first look. Decide nothing by these numbers.\n"));
  result.cells[0].comparisons[0].high = 1.01;
  CHECK(contains(text_of(result, 200), "\n  A/A: the baseline's twin stayed within 1.4 % of it in all 2 cells, so "));
}

TEST_CASE("text: settings that are no axis and not the default") {
  report::Result result = sample::result();
  CHECK(contains(text_of(result), "\n  echo, message size 1KiB, 8 blocks\n"));
  for (report::Arm& arm : result.cells[0].arms) arm.settings = {{"measure", {{"block", "200ms"}}}};
  result.scenarios[0].effective = {
      {"arms", "tls.policy"},
      {"roles", {{"server", {{"backend", "openssl"}}}}},
      {"traffic", {{"pipeline", 4}}},
      {"measure", {{"seed", 7}}},
      {"changed", {"roles.server.backend", "traffic.pipeline", "measure.seed", "traffic.missing", 5}}};
  CHECK(contains(text_of(result),
                 "\n  echo, message size 1KiB, arms by tls.policy, server backend openssl, pipeline 4, 8 blocks of "
                 "200ms\n"));
}

TEST_CASE("text: a setting of a role or of the relay is named with it, as axis and as setting") {
  report::Cell cell = sample::echo_cell();
  cell.params = {{"roles.client.transport", "wire"}, {"relay.read", "drain"}, {"traffic.message_size", "1KiB"}};
  report::Result result = one_cell(cell);
  result.scenarios[0].effective = {{"relay", {{"transport", "wire"}, {"read_size", "16KiB"}}},
                                   {"changed", {"relay.transport", "relay.read_size"}}};
  CHECK(
      contains(text_of(result, 200),
               "\n  echo, client transport wire, relay read drain, message size 1KiB, relay transport wire, relay read "
               "size 16KiB, 8 blocks\n"));
}

TEST_CASE("text: reasons and CPU ratios stand below the table") {
  report::Cell cell = sample::echo_cell();
  CHECK_FALSE(contains(text_of(one_cell(cell)), "why "));
  for (report::Arm& arm : cell.arms) arm.proof.roles["client"] = {1, 1, 100, 100, 1, 1, 1, 100};
  cell.arms[2].proof.roles["client"].writes = 900;
  for (const char* side : {"cpu_client", "cpu_server"}) {
    report::Comparison cpu = sample::compared("boringssl", 0.91, "faster");
    cpu.metric = side;
    cell.comparisons.push_back(cpu);
    cpu.arm = "plaintcp";
    cell.comparisons.push_back(cpu);
  }
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(text, "\n  why boringssl: 9.0 x more writes per message (client)\n"));
  CHECK(contains(text, "\n  CPU per operation, client: boringssl 0.910 x (0.899 .. 0.921), faster\n"));
  CHECK(contains(text, "\n  CPU per operation, server: boringssl 0.910 x"));

  cell.arms[2].proof.roles["client"].writes = 100;
  cell.arms[2].proof.roles["client"].records_out = 3;
  CHECK(
      contains(text_of(one_cell(cell)), "\n  also differs, boringssl: 3.0 x more records sent per message (client)\n"));

  // An engine's CPU time says what its throughput has said; but not always.
  report::Cell engine = sample::engine_cell();
  engine.comparisons.push_back(sample::compared("wolfssl", 30.1, "slower"));
  engine.comparisons.back().metric = "cpu_engine";
  CHECK_FALSE(contains(text_of(one_cell(engine)), "CPU per operation, engine"));
  engine.comparisons.back().verdict = "inconclusive";
  CHECK(contains(text_of(one_cell(engine)), "\n  CPU per operation, engine: wolfssl 30.1 x"));
}

TEST_CASE("text: a percentile that some arms have too few samples for") {
  report::Cell cell = sample::echo_cell();
  CHECK_FALSE(contains(text_of(one_cell(cell)), "p99.9"));  // nobody has it
  cell.arms[0].metrics.back().value = 0.002;
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(text, "p99.9"));
  CHECK(line_with(text, "  boringssl ").ends_with(" -"));
  CHECK(contains(text, "\n  -               too few samples for this percentile.\n"));
}

TEST_CASE("text: arms without TLS among themselves are ranked") {
  report::Cell cell = sample::echo_cell();
  cell.arms.erase(cell.arms.begin() + 3, cell.arms.end());
  for (report::Arm& arm : cell.arms) {
    arm.backend = "plaintcp";
    arm.proof = {};
    arm.proof.version = "none";
  }
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(line_with(text, "  boringssl "), "faster"));
  CHECK(contains(text, "proved: without TLS\n"));
  CHECK_FALSE(contains(text, "no TLS"));
}

TEST_CASE("text: a limit of 100 % and more is a factor") {
  report::Cell cell = sample::echo_cell();
  for (report::Comparison& comparison : cell.comparisons) comparison.limit = 1.329;
  CHECK(contains(text_of(one_cell(cell)), "limit 2.329 x"));
}

TEST_CASE("text: a variant has one name everywhere") {
  report::Result result = sample::result();
  result.backends[0].variant = "ossl35";
  CHECK(contains(text_of(result), "\n  ossl35     OpenSSL 3.0.17"));
  CHECK_FALSE(contains(text_of(result), "openssl:ossl35"));
}
