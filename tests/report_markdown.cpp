// The result as Markdown: tables, sections, and that no string of others becomes markup.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tlsrig/report/markdown/markdown_escape.hpp>
#include <tlsrig/report/render.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using sample::contains;
using sample::line_with;
using sample::lines_of;

namespace {

// Bars that part entries.
std::size_t columns_of(const std::string& line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
  return bars;
}

// Two echo cells with the same arms, beside the engine's one.
report::Result sample_of_three() {
  report::Result result = sample::result();
  report::Cell second = sample::echo_cell();
  second.id = "echo/message_size=16KiB";
  second.params = {{"traffic.message_size", "16KiB"}};
  second.comparisons[1].verdict = "likely slower";
  second.comparisons[1].ratio = 0.97;
  second.comparisons[1].limit = 1.5;
  result.cells.insert(result.cells.begin() + 1, second);
  return result;
}

}  // namespace

TEST_CASE("markdown: cells with the same arms share a table, conclusions stand first") {
  const std::string text = report::to_markdown(sample_of_three());
  CHECK(text.starts_with("## tlsrig: echo, engine\n"));
  const std::string heading = line_with(text, "|  | openssl (baseline) |");
  CHECK(heading == "|  | openssl (baseline) | boringssl | wolfssl | plaintcp | limit |");
  CHECK(line_with(text, "| message size 1KiB |") ==
        "| message size 1KiB | 140.6 kop/s | ▲ 1.083 (1.070 .. 1.096) | **failed** | 2.141 (2.116 .. 2.167) | 2.1 % |");
  CHECK(contains(line_with(text, "| message size 16KiB |"), "| ▽ 0.970 (1.070 .. 1.096) | **failed** |"));
  CHECK(line_with(text, "| message size 16KiB |").ends_with("| 2.500 x |"));
  const auto place = [&](const std::string& part) { return text.find(part); };
  CHECK(place("### Conclusions") < place("### echo"));
  CHECK(place("### echo") < place("### engine"));
  CHECK(place("### engine") < place("### Warnings"));
  CHECK(place("### Warnings") < place("<details>"));
  CHECK(contains(text, "- echo: boringssl: faster than openssl in 1 of 2 cells (1.083 x, 95 % interval"));
  CHECK(
      contains(text, "- A/A: the baseline's twin stayed within 1.4 % of it in all 3 cells, so the 2.0 % asked for is"));
  CHECK_FALSE(contains(text, "999999"));
  CHECK_FALSE(contains(text, "7.113"));
}

TEST_CASE("markdown: a cell alone has a table of its arms") {
  const std::string text = report::to_markdown(sample::result());
  CHECK(contains(text, "\n**echo/message_size=1KiB**, limit 2.1 %\n"));
  CHECK(contains(line_with(text, "| boringssl | ▲ faster |"), "| 1.083 (1.070 .. 1.096) | 152.3 kop/s | 3.210 µs |"));
  CHECK(contains(line_with(text, "| openssl |"), "| baseline |  | 140.6 kop/s |"));
  CHECK(contains(line_with(text,
                           "| openssl#\xE2\x81\xA0"
                           "2 |"),
                 "| A/A twin | 1.002 ("));
  CHECK(contains(line_with(text, "| wolfssl | **failed: the wire shows"), "** |  |  |"));
  CHECK(contains(line_with(text, "| plaintcp |"), "| no TLS, not ranked | 2.141 ("));
}

TEST_CASE("markdown: CPU ratios are folded away, settings stand below the scenario") {
  report::Result result = sample_of_three();
  CHECK_FALSE(contains(report::to_markdown(result), "CPU time per operation"));
  report::Comparison cpu = sample::compared("boringssl", 0.91, "faster");
  cpu.metric = "cpu_client";
  result.cells[1].comparisons.push_back(cpu);
  result.scenarios[0].effective = {{"traffic", {{"pipeline", 4}}}, {"changed", {"traffic.pipeline"}}};
  const std::string text = report::to_markdown(result);
  CHECK(contains(text,
                 "\n### echo\n\npipeline 4\n\nCounted: round trips at the client, over loopback TCP; payload both "
                 "ways.\n\n|"));
  const std::string folded = text.substr(text.find("<summary>CPU time per operation, as ratios</summary>\n\nCPU per"));
  CHECK(contains(line_with(folded, "| message size 1KiB |"), "| 3.410 µs | no ratio | **failed** |"));
  CHECK(contains(line_with(folded, "| message size 16KiB |"), "| 3.410 µs | ▲ 0.910 (0.899 .. 0.921) | **failed** |"));
}

TEST_CASE("markdown: every row of a table has as many entries as its heading") {
  report::Result result = sample_of_three();
  result.cells[2].arms[3].reason = "a | b || c";
  result.thresholds = {{"low > 0.95", "throughput", "echo|x", "boringssl", "boringssl", 0.9, false, std::nullopt}};
  std::size_t expected = 0, rows = 0;
  for (const std::string& line : lines_of(report::to_markdown(result))) {
    if (!line.starts_with("|")) {
      expected = 0;
      continue;
    }
    CAPTURE(line);
    if (expected == 0) expected = columns_of(line);
    CHECK(columns_of(line) == expected);
    ++rows;
  }
  CHECK(rows == 2 + 2 + 2 + 5 + 2 + 1);
}

TEST_CASE("markdown: banners, reasons, thresholds, builds") {
  report::Result result = sample::result();
  CHECK_FALSE(contains(report::to_markdown(result), "> **"));
  result.complete = false;
  result.quick = true;
  result.cells[0].comparisons[0].high = 1.2;
  for (report::Arm& arm : result.cells[0].arms) arm.proof.roles["client"] = {1, 1, 100, 100, 1, 1, 1, 100};
  result.cells[0].arms[2].proof.roles["client"].writes = 900;
  result.thresholds = {{"low > 0.95", "throughput", "echo/a", "boringssl", "boringssl", 0.9, false, std::nullopt},
                       {"low > 0.5", "throughput", "echo/a", "wolfssl", "wolfssl", {}, {}, "it failed"}};
  const std::string text = report::to_markdown(result);
  CHECK(contains(text, "\n> **run:** It ended before everything was measured"));
  CHECK(contains(text, ">\n> **run:** Quick: "));
  CHECK(contains(text, ">\n> **A/A:** not resolved in 1 of 2 cells"));
  CHECK(
      contains(text, "- boringssl against openssl, echo/message_size=1KiB: 9.0 x more writes per message (client)\n"));
  CHECK_FALSE(contains(text, "What else differs"));
  CHECK(contains(text, "| **not held** |"));
  CHECK(contains(text, "| not judged: it failed |"));
  CHECK(contains(
      text, "- openssl: OpenSSL 3.0.17 1 Jul 2025, `/usr/lib/x86_64-linux-gnu/libssl.so.3` build-id `0f3c91d2a1`"));
  CHECK(contains(text, "\n```\ntlsrig run scenarios/quick-echo.toml -s 'tls.cipher=A B'\n```\n"));
  CHECK(contains(text, "- wolfssl: built without hardware AES"));
  result.cells[0].arms[2].proof.roles["client"].writes = 100;
  result.cells[0].arms[2].proof.roles["client"].records_out = 3;
  CHECK(contains(report::to_markdown(result),
                 "\n### What else differs\n\n- boringssl against openssl, echo/message_size=1KiB: 3.0 x more records"));
}

TEST_CASE("markdown: strings of others are shown and never interpreted") {
  using report::markdown_code;
  using report::markdown_text;
  const std::string joiner = "\xE2\x81\xA0";
  CHECK(markdown_text("TLS_AES_128 a_b _c_") == "TLS_AES_128 a_b \\_c\\_");
  CHECK(markdown_text("<script>alert(1)</script> & | ` * [x](y)") ==
        "\\<script\\>alert(1)\\</script\\> &amp; \\| \\` \\* \\[x\\](y)");
  CHECK(markdown_text("a\nb\r\n\r\n# c") == "a b # c");
  CHECK(markdown_text("by @name in #12, GH-3, a@b.c") ==
        "by @" + joiner + "name in #" + joiner + "12, GH-" + joiner + "3, a@" + joiner + "b.c");
  CHECK(markdown_text("see https://x.y and www.x.y :tada: a:b") ==
        "see https:" + joiner + "//x.y and www." + joiner + "x.y :" + joiner + "tada: a:b");
  CHECK(markdown_text("- item") == "\\- item");
  CHECK(markdown_text("1. item") == "1\\. item");
  CHECK(markdown_text("bad \xff") == "bad \xEF\xBF\xBD");
  CHECK(markdown_code("a|b") == "`a\\|b`");
  CHECK(markdown_code("`a``b") == "``` `a``b ```");
  CHECK(report::markdown_block("```x") == "````\n```x\n````\n");

  report::Result result = sample::result();
  result.cells[0].arms[3].reason = "<script>alert(1)</script>\n\n# heading @team";
  result.cells[0].scenario = "echo|<b>";
  result.backends[0].library = "<img src=x>";
  const std::string text = report::to_markdown(result);
  for (const char* raw : {"<script", "<img", "<b>", "\n# heading", "@team"}) {
    CAPTURE(raw);
    std::string unescaped = text;
    for (std::size_t at = 0; (at = unescaped.find("\\<", at)) != std::string::npos;) unescaped.erase(at, 2);
    CHECK_FALSE(contains(unescaped, raw));
  }
}

TEST_CASE("markdown: nothing measured is no crash") {
  report::Result result;
  CHECK(contains(report::to_markdown(result), "## tlsrig\n"));
  result.cells.emplace_back();
  result.cells[0].id = "echo";
  CHECK(contains(report::to_markdown(result), "**echo**"));
}
