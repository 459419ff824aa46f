// The report: numbers for people, tables, the terminal text.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/words/format.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using sample::contains;
using sample::line_with;
using sample::lines_of;
using sample::one_cell;
using sample::text_of;

TEST_CASE("format: SI numbers") {
  CHECK(report::format_si(0) == "0");
  CHECK(report::format_si(1) == "1.000");
  CHECK(report::format_si(152345) == "152.3 k");
  CHECK(report::format_si(999.94) == "999.9");
  CHECK(report::format_si(999.96) == "1.000 k");
  CHECK(report::format_si(999960) == "1.000 M");
  CHECK(report::format_si(0.00321, 3) == "3.21 m");
  CHECK(report::format_si(2.5e-10, 3) == "0.250 n");
  CHECK(report::format_si(-1500) == "-1.500 k");
  CHECK(report::format_si(5e15, 3) == "5000 T");
  CHECK(report::format_si(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(report::format_rate(152345, "op/s") == "152.3 kop/s");
  CHECK(report::format_rate(12.5, "op/s") == "12.50 op/s");
}

TEST_CASE("format: durations, sizes, ratios, percents") {
  CHECK(report::format_duration(105.04e-6) == "105.0 µs");
  CHECK(report::format_duration(1.5) == "1.500 s");
  CHECK(report::format_duration(5000) == "5000 s");
  CHECK(report::format_duration(0) == "0 s");
  CHECK(report::format_size(0) == "0 B");
  CHECK(report::format_size(64) == "64 B");
  CHECK(report::format_size(1023) == "1023 B");
  CHECK(report::format_size(16384) == "16 KiB");
  CHECK(report::format_size(1572864) == "1.5 MiB");
  CHECK(report::format_ratio(1.0829) == "1.083");
  CHECK(report::format_ratio(0.03123) == "0.0312");
  CHECK(report::format_ratio(14.04) == "14.0");
  CHECK(report::format_ratio(0.00012345) == "0.000123");
  CHECK(report::format_ratio(0) == "0.0000");
  CHECK(report::format_percent(0.0214) == "2.1 %");
  CHECK(report::format_percent(0.0004) == "0.04 %");
  CHECK(report::format_percent(0) == "0.0 %");
}

TEST_CASE("format: one scale for a column") {
  const std::vector<double> values = {171630, 5310, 2410000, 0, std::numeric_limits<double>::infinity()};
  const report::Scale scale = report::scale_for(values, 4);
  CHECK(scale.prefix == "k");
  CHECK(scale.format(171630) == "171.6");
  CHECK(scale.format(5310) == "5.310");
  CHECK(scale.format(2410000) == "2410");
  CHECK(scale.format(0) == "0");
  CHECK(scale.format(999.96 * 1000) == "1000");
  CHECK(report::scale_for(std::vector<double>{}, 3).format(12.345) == "12.3");
}

TEST_CASE("format: texts from elsewhere") {
  CHECK(report::display_width("CPU µs ±") == 8);
  CHECK(report::one_line("a\nb\t\t c\033[31m") == "a b c [31m");
  CHECK(report::shortened("µµµµµµ", 6) == "µµµµµµ");
  CHECK(report::shortened("µµµµµµµ", 6) == "µµµ...");
  CHECK(report::wrapped("one two three", 9, "- ", "  ") == "- one two\n  three\n");
  CHECK(report::wrapped("unbreakable", 4, "", "") == "unbreakable\n");
  CHECK(report::wrapped("by 10.5 %, 2 x", 7, "", "") == "by\n10.5 %,\n2 x\n");
  CHECK(report::wrapped("a (1 .. 2) b", 8, "", "") == "a\n(1 .. 2)\nb\n");
}

TEST_CASE("table: points below each other, folded where it is too narrow") {
  report::Table table;
  table.columns = {{"", "", report::Align::left},
                   {"rate", "k"},
                   {"rate", "±", report::Align::right},
                   {"empty", "x"},
                   {"words", "y", report::Align::left}};
  table.rows = {{{{"one"}, {"5.31"}, {"1 %"}, {""}, {"yes"}}, "", report::Style::plain, false},
                {{{"two"}}, "failed: for a reason", report::Style::bad, false},
                {{{"three"}, {"2410"}, {""}, {""}, {""}}, "", report::Style::plain, true}};
  CHECK(report::to_text(table, 80, false) ==
        "          rate           words\n"
        "                k    ±   y\n"
        "  one        5.31  1 %   yes\n"
        "  two     failed: for a reason\n"
        "\n"
        "  three   2410\n");
  CHECK(report::to_text(table, 24, false) ==
        "          rate\n"
        "                k    ±\n"
        "  one        5.31  1 %\n"
        "  two     failed: for a\n"
        "          reason\n"
        "\n"
        "  three   2410\n"
        "\n"
        "          words\n"
        "          y\n"
        "  one     yes\n"
        "\n"
        "  three\n");
  CHECK(contains(report::to_text(table, 80, true), "\033[31mfailed: for a reason\033[0m\n"));
}

TEST_CASE("text: who is fastest and by how much") {
  const std::string text = text_of(sample::result());
  const std::size_t boringssl = text.find("\n  boringssl "), openssl = text.find("\n  openssl "),
                    twin = text.find("\n  openssl#2 "), plain = text.find("\n\n  plaintcp ");
  CHECK(boringssl < openssl);
  CHECK(openssl < twin);
  CHECK(twin < plain);
  CHECK(plain != std::string::npos);
  const std::string row = line_with(text, "  boringssl ");
  for (const char* part :
       {"152.3", "0.7 %", "312", "1.083", "1.070 .. 1.096", "faster", "3.21", "3.30", "105", "189"}) {
    CAPTURE(part);
    CHECK(contains(row, part));
  }
  CHECK(contains(line_with(text, "  openssl#2 "), "A/A twin"));
  CHECK(contains(line_with(text, "  openssl "), "baseline"));
  CHECK(contains(line_with(text, "  plaintcp "), "2.141"));
  CHECK(contains(line_with(text, "  plaintcp "), "no TLS"));
  CHECK(contains(text, "limit 2.1 %"));
  CHECK(row.find("faster") < row.find("152.3"));  // the verdict before what it rests on
  CHECK(contains(text, "proved: TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, peer verified, 16 connections\n"));
  CHECK(contains(text, "\n  1 of 32 arm-blocks flagged: 1 with steal.\n"));
}

TEST_CASE("text: arms without a number say why, and show none") {
  const std::string text = text_of(sample::result());
  CHECK(contains(text, "\n  wolfssl     failed: the wire shows TLS_AES_256_GCM_SHA384, the scenario asks for "));
  CHECK(contains(text, "\n  boringssl   unsupported: this build of BoringSSL cannot choose"));
  for (const char* number : {"999999", "1000.0", "1.000 M", "7.113"}) CHECK_FALSE(contains(text, number));
  CHECK(contains(text, "\n2 cells: 8 arms ok, 1 failed, 1 unsupported\n"));
  CHECK_FALSE(contains(text, "INCOMPLETE"));
}

TEST_CASE("text: calls, records and bytes per operation, for those who ask") {
  report::Result result = sample::result();
  report::Arm& arm = result.cells[0].arms[0];
  arm.proof.roles["client"] = {2000, 1000, 4100, 4000, 4'000'000, 8'184'000, 1000, 4000};
  arm.proof.roles["server"] = {2000, 1000, std::nullopt, std::nullopt, std::nullopt, std::nullopt, 1000, 4000};
  result.cells[0].arms[3].proof.roles = arm.proof.roles;  // of the arm that failed: not to be shown
  const std::string text = report::to_text(result, {false, true, 120});
  const std::string client = line_with(text, "  openssl client ");
  for (const char* part : {"1.02", "1.00", "2.00", "1000", "2046"}) {
    CAPTURE(part);
    CHECK(contains(client, part));
  }
  const std::string server = line_with(text, "  openssl server ");
  CHECK(contains(server, "-"));
  CHECK(contains(server, "2.00"));
  CHECK_FALSE(contains(text, "wolfssl client"));
  CHECK_FALSE(contains(text, "boringssl client"));  // nothing was counted
  CHECK_FALSE(contains(text_of(result), "openssl client"));
}

TEST_CASE("text: no line is too wide, none ends in a space") {
  for (const unsigned width : {72u, 80u, 100u, 120u, 200u}) {
    for (const bool verbose : {false, true}) {
      const std::string text = report::to_text(sample::result(), {false, verbose, width});
      for (const std::string& line : lines_of(text)) {
        CAPTURE(line);
        CHECK(report::display_width(line) <= width);
        CHECK_FALSE(line.ends_with(' '));
      }
      CHECK(contains(text, "client  server"));  // folded, not lost
      CHECK(contains(text, "service time µs"));
    }
  }
}

TEST_CASE("text: colour only when asked") {
  const report::Result result = sample::result();
  CHECK_FALSE(contains(text_of(result), "\033"));
  const std::string coloured = report::to_text(result, {true, false, 120});
  CHECK(contains(coloured, "\033[32mfaster\033[0m"));
  CHECK(contains(coloured, "\033[31mslower\033[0m"));
  CHECK(contains(coloured, "\033[31mfailed: "));
}

TEST_CASE("text: a hostile reason cannot drive the terminal") {
  report::Result result = sample::result();
  result.cells[0].arms[3].reason = "first\nsecond\r\033]0;owned\007";
  const std::string text = text_of(result);
  CHECK(contains(text, "failed: first second ]0;owned\n"));
  CHECK_FALSE(contains(text, "\033"));
  CHECK_FALSE(contains(text, "\007"));
}

TEST_CASE("text: backends, files, warnings, run") {
  const std::string text = text_of(sample::result());
  CHECK(contains(text, "\n  openssl    OpenSSL 3.0.17 1 Jul 2025\n"));
  CHECK(contains(text, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3, build-id 7aa1b2c3d4\n"));
  CHECK(contains(text, "android/libssl.so.0, without build-id\n"));
  CHECK(contains(text, "\n  wolfssl !  "));  // beside its numbers
  CHECK(contains(text, "\n  ! wolfssl: built without hardware AES"));
  CHECK(contains(text, "seed      18446744073709551615\n"));
  CHECK(contains(text, "command   tlsrig run scenarios/quick-echo.toml -s 'tls.cipher=A B'\n"));
  CHECK(contains(text, "It is not the response time"));
}

TEST_CASE("text: the notes speak of what is there alone") {
  report::Cell cell = sample::engine_cell();
  cell.arms = {cell.arms[0]};
  cell.comparisons.clear();
  const std::string text = text_of(one_cell(cell));
  CHECK_FALSE(contains(text, "closed loop"));
  CHECK_FALSE(contains(text, "not ranked"));
  CHECK_FALSE(contains(text, "twin"));
  CHECK_FALSE(contains(text, "vs openssl"));
  CHECK_FALSE(contains(text, "verdict"));
  CHECK(contains(text, "\n  ±               half the 95 % interval of the median"));
  cell.arms[0].metrics[0].low = std::nullopt;
  CHECK_FALSE(contains(text_of(one_cell(cell)), "How to read this"));
  CHECK(contains(report::to_text(one_cell(cell), {false, true, 120}), "  CPU             user and system time"));
}

TEST_CASE("text: inconclusive and too few blocks") {
  report::Cell cell = sample::echo_cell();
  cell.comparisons[1].verdict = "inconclusive";
  cell.comparisons[1].blocks_needed = 40;
  CHECK(contains(text_of(one_cell(cell)), "  boringssl: about 40 blocks would settle it (-r).\n"));
  cell.comparisons[1].blocks_needed = 1001;
  CHECK(contains(text_of(one_cell(cell)), "  boringssl: no number of blocks settles it on this machine as it is"));

  for (report::Comparison& comparison : cell.comparisons) {
    comparison.low = comparison.high = comparison.limit = std::nullopt;
    comparison.verdict = std::nullopt;
    comparison.blocks_needed = std::nullopt;
  }
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(text, "Too few blocks for intervals and verdicts: 6 are needed.\n"));
  CHECK(contains(line_with(text, "  boringssl "), "1.083"));
  CHECK_FALSE(contains(text, "faster"));
}

TEST_CASE("text: a twin that differs from its baseline is spoken of") {
  report::Cell cell = sample::echo_cell();
  CHECK_FALSE(contains(text_of(one_cell(cell)), "should equal"));
  cell.comparisons[0].low = 1.004;
  CHECK(contains(text_of(one_cell(cell)), "  A/A: openssl#2 should equal openssl and does not (1.004 .. 1.014); "));
}

TEST_CASE("text: a failed baseline leaves values without ratios") {
  report::Cell cell = sample::echo_cell();
  cell.arms[0].status = report::Status::failed;
  cell.arms[0].reason = "the client worker was killed by signal 9";
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(text, "No ratios: the baseline openssl gave no number."));
  CHECK(contains(line_with(text, "  boringssl "), "152.3"));
  CHECK_FALSE(contains(text, "1.083"));
  CHECK_FALSE(contains(text, "140.6"));
}

TEST_CASE("text: limits that differ stand beside their verdicts") {
  report::Cell cell = sample::engine_cell();
  cell.arms.push_back(sample::arm("other", "other", 100000));
  cell.comparisons.push_back(sample::compared("other", 0.58, "slower"));
  cell.comparisons.back().limit = 0.035;
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(line_with(text, "  other "), "slower (3.5 %)"));
  CHECK(contains(line_with(text, "  wolfssl "), "slower (2.1 %)"));
}

TEST_CASE("text: different proofs stand apart") {
  report::Cell cell = sample::echo_cell();
  cell.arms[2].proof.cipher = "TLS_CHACHA20_POLY1305_SHA256";
  const std::string text = text_of(one_cell(cell));
  CHECK(contains(text, "proved (openssl, openssl#2): TLS 1.3, TLS_AES_128_GCM_SHA256, "));
  CHECK(contains(text, "proved (boringssl): TLS 1.3, TLS_CHACHA20_POLY1305_SHA256, "));
}

TEST_CASE("text: an unfinished run says so last") {
  report::Result result = sample::result();
  result.complete = false;
  result.cells[1].arms[1].status = report::Status::incomplete;
  result.cells[1].arms[1].reason = "interrupted after 3 of 8 blocks";
  const std::string text = text_of(result);
  CHECK(contains(text, "  wolfssl     incomplete: interrupted after 3 of 8 blocks\n"));
  CHECK(text.ends_with("1 incomplete\nINCOMPLETE: the run ended before everything was measured.\n"));
  CHECK_FALSE(contains(text, "5.310"));
}

TEST_CASE("text: nothing to show is no crash") {
  report::Result result;
  CHECK(contains(text_of(result), "0 cells: 0 arms ok"));
  result.cells.emplace_back();
  result.cells[0].id = "echo";
  CHECK(contains(text_of(result), "1 cell: 0 arms ok"));
  CHECK(report::cell_line(result.cells[0]) == "echo: no arms");
}

TEST_CASE("cell_line: a cell in one line") {
  CHECK(report::cell_line(sample::echo_cell()) ==
        "echo/message_size=1KiB: boringssl 152.3 kop/s, openssl 140.6 kop/s, plaintcp 301.0 kop/s, wolfssl failed (the "
        "wire shows TLS_AES_256_GCM_SHA384, the scenario asks ...)");
}
