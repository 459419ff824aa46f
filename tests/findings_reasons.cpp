// Why an arm differs from its baseline, and what else differs.
#include <doctest/doctest.h>

#include <string>

#include <tlsrig/report/words/findings.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using report::Status;
using sample::arm_of;
using sample::comparison_of;
using sample::contains;
using sample::result_of;

TEST_CASE("findings: reasons from the proof's counters") {
  report::Cell cell = sample::echo_cell();
  report::Arm &openssl = cell.arms[0], &boringssl = cell.arms[2];
  const auto why = [&] { return report::why(cell, comparison_of(cell, "boringssl")); };
  CHECK(why() == "");  // nothing was counted
  //                               records in, out, reads, writes, bytes in, out; operations of warm-up and slices
  openssl.proof.roles["client"] = {1000, 1000, 4000, 4000, 4'000'000, 4'000'000, 1000, 4000};
  openssl.proof.roles["server"] = {1000, 1000, 4000, 4000, 4'000'000, 4'000'000, 1000, 4000};
  boringssl.proof.roles = openssl.proof.roles;
  CHECK(why() == "");
  boringssl.proof.roles["client"].writes = 36000;
  CHECK(why() == "9.0 x more writes per message (client)");
  boringssl.proof.roles["server"].writes = 36000;
  CHECK(why() == "9.0 x more writes per message (client, server)");
  boringssl.proof.roles["server"].writes = 2000;
  CHECK(why() == "9.0 x more writes per message (client), 2.0 x fewer writes per message (server)");
  boringssl.proof.roles["server"].writes = 6000;  // 1.5 x is not more than 1.5 x
  CHECK(why() == "9.0 x more writes per message (client)");
  boringssl.proof.roles["client"].writes = std::nullopt;
  CHECK(why() == "");

  // What one side sends the other receives: told once, by the sender if it is counted.
  boringssl.proof.roles["client"].bytes_out = boringssl.proof.roles["server"].bytes_in = 8'000'000;
  CHECK(why() == "2.0 x more bytes sent per message (client)");
  boringssl.proof.roles["client"].bytes_out = std::nullopt;
  CHECK(why() == "2.0 x more bytes received per message (server)");
  boringssl.proof.roles["server"].bytes_in = 4'000'000;
  boringssl.proof.roles["client"].records_out = 4000;
  boringssl.proof.roles["client"].warmup_operations = 2000;  // the records' own operations
  CHECK(why() == "");                                        // records alone are no likely cause
  const auto also = [&] { return report::also_differs(cell, comparison_of(cell, "boringssl")); };
  CHECK(also() == "2.0 x more records sent per message (client)");
  boringssl.proof.roles["client"].reads = 8000;
  CHECK(contains(why(), "2.0 x more records sent per message (client)"));
  CHECK(also() == "");
  boringssl.status = Status::failed;
  CHECK(why() == "");
}

TEST_CASE("findings: reasons where a side has none, and counts too small to be one") {
  report::Cell cell = sample::engine_cell();
  report::Arm &openssl = cell.arms[0], &wolfssl = cell.arms[1];
  openssl.settings = wolfssl.settings = {{"engine", {{"operation", "handshake-resumed"}}}};
  openssl.proof.roles["client"] = {3, 0, {}, {}, {}, {}, 1000, 0};
  wolfssl.proof.roles["client"] = {9, 2500, {}, {}, {}, {}, 1000, 0};
  const auto also = [&] { return report::also_differs(cell, comparison_of(cell, "wolfssl")); };
  CHECK(report::why(cell, comparison_of(cell, "wolfssl")) == "");  // nothing of an engine crosses a socket
  CHECK(also() == "2.50 records sent per handshake where openssl has none (client)");
  wolfssl.settings = {{"engine", {{"operation", "wrap"}}}};
  CHECK(contains(also(), "per operation"));
  wolfssl.proof.roles["client"].records_out = 0;
  openssl.proof.roles["client"].records_out = 500;
  openssl.settings = wolfssl.settings;
  CHECK(also() == "no records sent where openssl has 0.500 per message (client)");
  wolfssl.proof.roles["client"].warmup_operations = 0;
  CHECK(also() == "");
}

TEST_CASE("findings: a build without hardware AES is why it is slower with AES, where no counter tells more") {
  report::Result result = result_of({sample::engine_cell()});
  report::Cell& cell = result.cells[0];
  const auto why = [&] { return report::why(result, cell, comparison_of(cell, "wolfssl")); };
  CHECK(why() == result.backends[2].warnings.front());
  REQUIRE(report::reasons(result).size() == 1);
  CHECK(report::reasons(result).front().likely);
  comparison_of(cell, "wolfssl").verdict = "likely slower";
  CHECK(why() == "");
  comparison_of(cell, "wolfssl").verdict = "slower";
  arm_of(cell, "wolfssl").proof.cipher = "TLS_CHACHA20_POLY1305_SHA256";
  CHECK(why() == "");
  arm_of(cell, "wolfssl").proof.cipher = "TLS_AES_256_GCM_SHA384";
  CHECK(why() != "");
  result.backends[0].warnings = result.backends[2].warnings;  // the baseline has none either
  CHECK(why() == "");
  result.backends[0].warnings.clear();
  cell.workload = "echo";
  arm_of(cell, "openssl").proof.roles["client"] = {1, 1, 100, 100, 1, 1, 1, 100};
  arm_of(cell, "wolfssl").proof.roles["client"] = {1, 1, 100, 900, 1, 1, 1, 100};
  CHECK(why() == "9.0 x more writes per message (client)");
}
