// The HTML report, by its text: what it says, that it is whole, and that nothing it quotes becomes markup. How it looks
// is for tests/browser.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>

#include "report_html_sample.hpp"
#include "report_html_support.hpp"
#include "report_sample.hpp"

using namespace html_tests;

TEST_CASE("The page is whole, loads nothing and runs nothing") {
  for (const report::Result& result :
       {html_sample::result(), html_sample::of_two_runs(), sample::result(), report::Result()}) {
    const std::string source = report::to_html(result);
    const HtmlPage page = page_of(result);
    CHECK_FALSE(contains(source, "{{"));
    for (const Element& element : page.elements()) {
      for (const auto& [name, value] : element.attributes) {
        CHECK_FALSE(name.starts_with("on"));
        CHECK_FALSE((name == "src" || name == "style" || name == "srcset" || name == "action"));
        if (name == "href") CHECK(value.starts_with("#"));
      }
    }
    const auto styles = page.all("style");
    REQUIRE(styles.size() == 1);
    for (const char* load : {"@import", "url(", "http:", "https:", "expression("})
      CHECK_FALSE(contains(styles[0]->text, load));
    // Even a string that got through would run nothing and load nothing.
    CHECK(contains(source, "default-src 'none'"));
  }
}

TEST_CASE("Anchors lead somewhere, and to one place") {
  const HtmlPage page = page_of(html_sample::result());
  std::set<std::string> ids;
  for (const Element& element : page.elements()) {
    const auto id = element.attributes.find("id");
    if (id != element.attributes.end()) CHECK(ids.insert(id->second).second);
  }
  std::size_t links = 0;
  for (const Element* link : page.all("a")) {
    CHECK(ids.count(link->attributes.at("href").substr(1)) == 1);
    ++links;
  }
  CHECK(links >= 3 * html_sample::result().cells.size());
}

TEST_CASE("Nothing that a plugin or a scenario says becomes markup") {
  const std::vector<std::string> hostile = {"<script>alert(1)</script>",
                                            "\"><img src=x onerror=alert(1)>",
                                            "' onmouseover='alert(1)",
                                            "]]><svg onload=x>",
                                            "</style></title></pre></text></svg><b>",
                                            "&lt;i&gt; &amp; &#60;u&#62;",
                                            "{{title}} {{{style}}} {{> table}}",
                                            std::string("\0\x01\x1b[31m\x7f\r\n\t", 10),
                                            "\xff\xfe\xc0\xaf\xed\xa0\x80\xf5\x80\xe2\x82",
                                            "\xe2\x80\xaegpj.exe",
                                            "<!-- <![CDATA["};
  for (report::Result harmless : {html_sample::result(), html_sample::of_two_runs()}) {
    for (const std::string& text : hostile) {
      CAPTURE(text);
      const auto with = [](const std::string& suffix) {
        return [suffix](const std::string& word) { return word.empty() ? word : word + suffix; };
      };
      const HtmlPage attacked = page_of(html_sample::changed(harmless, with(text)));
      const HtmlPage calm = page_of(html_sample::changed(harmless, with(std::string(text.size(), 'y'))));
      CHECK(attacked.structure() == calm.structure());
      CHECK(attacked.all("style").at(0)->text == calm.all("style").at(0)->text);
    }
  }
  // It is shown for what it is.
  const auto change = [](const std::string& word) { return word + "<script>alert(1)</script>"; };
  CHECK(contains(page_of(html_sample::changed(html_sample::result(), change)).text(),
                 "OpenSSL 3.0.17 1 Jul 2025<script>alert(1)</script>"));
}

TEST_CASE("The top names the fastest, every verdict and every warning") {
  const report::Result result = html_sample::result();
  const HtmlPage page = page_of(result);
  const std::string& text = page.text();
  for (const report::Conclusion& conclusion : report::conclusions(result)) {
    CAPTURE(conclusion.sentence);
    CHECK(contains(section(page, "verdicts").text, conclusion.sentence));
  }
  const auto warnings = report::warnings_of(result);
  CHECK(warnings.size() >= 6);
  for (const report::Warning& warning : warnings) {
    CAPTURE(warning.text);
    CHECK(contains(section(page, "warnings").text, warning.subject + ": " + warning.text));
  }
  CHECK(contains(section(page, "verdicts").text, "Fastest: boringssl in 1 of 2 cells, not decided in 1."));
  const std::string& fastest = section(page, "fastest").text;
  CHECK(contains(fastest, "boringssl is faster than openssl by 8.3 % (95 % interval 7.0 % to 9.6 %; limit 3.1 %)."));
  CHECK(contains(fastest, "the baseline has no number"));
  CHECK(text.find("INCOMPLETE") < text.find("Verdicts"));
  CHECK(text.find("QUICK") < text.find("Verdicts"));
  CHECK(text.find("Warnings") < text.find("Cells and arms"));
  CHECK_FALSE(contains(page_of(sample::result()).text(), "INCOMPLETE"));
}

TEST_CASE("A leader is named only as far as ratios to the baseline carry") {
  report::Result result = html_sample::result();
  result.cells.resize(1);
  report::Cell& cell = result.cells[0];
  const auto fastest = [&] { return section(page_of(result), "fastest").text; };
  SUBCASE("two intervals overlap") {
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 1.079, 0.012, "faster");
    CHECK(contains(fastest(), "boringssl first, not told apart from ossl35"));
  }
  SUBCASE("one that is only likely faster is not told apart either") {
    cell.comparisons[0] = html_sample::compared(cell, "boringssl", 1.05, 0.01, "faster");
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 1.06, 0.038, "likely faster");
    CHECK(contains(fastest(), "boringssl first, not told apart from ossl35"));
    CHECK(contains(fastest(), "Next: ossl35, 1.060 x (1.021 .. 1.100), after 1.050 x (1.040 .. 1.060)."));
    CHECK(contains(page_of(result).text(), "Fastest: boringssl tied with ossl35."));
  }
  SUBCASE("nor is an inconclusive one whose interval reaches far") {
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 1.01, 0.1, "inconclusive");
    CHECK(contains(fastest(), "boringssl first, not told apart from ossl35"));
  }
  SUBCASE("an interval wholly behind the leader's is told apart") {
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 1.02, 0.012, "likely faster");
    CHECK(contains(fastest(), "boringssl fastest"));
    CHECK(contains(fastest(), "Next: ossl35, 1.020 x (1.008 .. 1.032), after 1.083 x (1.070 .. 1.096)."));
  }
  SUBCASE("the baseline comes next where no other arm beats it") {
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 0.98, 0.012, "inconclusive");
    CHECK(contains(fastest(), "Next: openssl, the baseline."));
  }
  SUBCASE("lower may be better") {
    for (report::Arm& arm : cell.arms) arm.metrics = {html_sample::metric("memory", "B", "lower", 5e4)};
    for (report::Comparison& comparison : cell.comparisons) comparison.metric = "memory";
    cell.comparisons[0].ratio = 0.9, cell.comparisons[0].low = 0.89, cell.comparisons[0].high = 0.91;
    cell.comparisons[0].verdict = "smaller";
    cell.comparisons[1] = html_sample::compared(cell, "wolfssl", 1.5, 0.02, "larger");
    cell.comparisons[1].metric = "memory";
    cell.comparisons[2].ratio = 0.93, cell.comparisons[2].low = 0.905, cell.comparisons[2].high = 0.95;
    CHECK(contains(fastest(), "boringssl first, not told apart from ossl35"));
    cell.comparisons[2].low = 0.92;
    CHECK(contains(fastest(), "boringssl fastest"));
  }
  SUBCASE("ties of a scenario's cells are told beside its clear answers") {
    result.cells.push_back(result.cells[0]);
    result.cells.back().id = "echo/message_size=2KiB";
    result.cells.back().comparisons[2] = html_sample::compared(result.cells[0], "ossl35", 1.079, 0.012, "faster");
    CHECK(contains(page_of(result).text(), "Fastest: boringssl in 1 of 2 cells, tied with ossl35 in 1."));
  }
  SUBCASE("the better ratio leads, not the higher median") {
    cell.comparisons[2] = html_sample::compared(cell, "ossl35", 1.3, 0.012, "faster");
    CHECK(contains(fastest(), "ossl35 fastest"));
  }
  SUBCASE("nobody is shown to be faster") {
    cell.comparisons[0].verdict = "likely faster";
    CHECK(contains(fastest(), "not decided none is shown to be faster than openssl"));
  }
  SUBCASE("all are slower than the baseline") {
    cell.comparisons[0].verdict = cell.comparisons[2].verdict = "slower";
    CHECK(contains(fastest(), "openssl fastest"));
  }
  SUBCASE("settings of several backends") {
    result = html_sample::result();
    result.cells.erase(result.cells.begin(), result.cells.begin() + 2);
    result.cells[0].comparisons[0].verdict = "faster";
    CHECK(contains(
        page_of(result).text(),
        "Fastest: TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 with openssl in 1 of 2 cells, not decided in 1."));
  }
  SUBCASE("no verdicts") {
    for (report::Comparison& comparison : cell.comparisons) comparison.verdict.reset();
    CHECK(contains(fastest(), "not decided no verdicts"));
  }
}

TEST_CASE("The matrix says each verdict in a symbol and a word, with ratio and interval") {
  const report::Result result = html_sample::result();
  const HtmlPage page = page_of(result);
  const std::string& text = section(page, "matrix").text;
  CHECK(contains(text, "▲ faster; ▼ slower: the whole interval lies beyond the limit"));
  CHECK_FALSE(contains(text, "△"));  // not in use
  report::Result likely = result;
  likely.cells[0].comparisons[0].verdict = "likely faster";
  CHECK(contains(section(page_of(likely), "matrix").text, "△ likely faster: only 1 is excluded"));
  for (const char* words : {"▲ faster", "▼ slower", "= equivalent", "? inconclusive", "◆ baseline", "◇ A/A twin",
                            "○ no TLS", "✕ failed", "∅ unsupported", "… incomplete"})
    CHECK_MESSAGE(contains(text, words), words);
  for (const report::Cell& cell : result.cells) {
    for (const report::Comparison* comparison : report::valid_comparisons(cell)) {
      const std::string numbers = report::format_ratio(*comparison->ratio) + " (" +
                                  report::format_ratio(*comparison->low) + " .. " +
                                  report::format_ratio(*comparison->high) + ")";
      const bool yardstick = report::is_yardstick(cell, *report::find_arm(cell, comparison->arm));
      CHECK_MESSAGE(count(text, numbers) >= (yardstick ? 1 : 2), numbers);  // table and forest plot
    }
    for (const report::Arm& arm : cell.arms) CHECK(contains(text, arm.id));
  }
}

TEST_CASE("Arms without a number have a reason, and no number, ratio or rank anywhere") {
  const report::Result result = html_sample::result();
  const std::string source = report::to_html(result);
  const HtmlPage page = page_of(result);
  CHECK(count(source, "777") == 0);  // of every metric, and of the histograms
  for (const char* ratio : {"7.71", "7.72", "7.73", "7.74"}) CHECK_FALSE(contains(source, ratio));
  for (const report::Cell& cell : result.cells) {
    const Element& details = details_of(page, static_cast<std::size_t>(&cell - result.cells.data()));
    for (const report::Arm& arm : cell.arms) {
      if (arm.status == report::Status::ok) continue;
      CHECK(count(details.text, *arm.reason) >= 3);  // its sentence, its row, its proof
      CHECK(contains(section(page, "matrix").text, arm.reason->substr(0, 60)));
    }
  }
  CHECK(contains(details_of(page, 3).text,
                 "No ratios: the baseline TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 has no number, "
                 "failed: the handshake failed: alert 40"));
  CHECK(plots(page, "dots", details_of(page, 1)).size() == 2);  // plaintcp and the twin
}

TEST_CASE("Only the first cell is open, all cells are there") {
  const report::Result result = html_sample::result();
  const HtmlPage page = page_of(result);
  const auto details = page.all("details", "cell");
  REQUIRE(details.size() == result.cells.size());
  for (std::size_t index = 0; index < details.size(); ++index) {
    CHECK(details[index]->attributes.count("open") == (index == 0 ? 1 : 0));
    CHECK(contains(details[index]->text, result.cells[index].id));
  }
}

TEST_CASE("Ratios of other metrics, with their verdicts") {
  report::Result result = html_sample::result();
  report::Comparison cpu = html_sample::compared(result.cells[1], "boringssl", 7.757, 0.01, "faster");
  cpu.metric = "cpu_client";
  result.cells[1].comparisons.push_back(cpu);  // unsupported there
  cpu = html_sample::compared(result.cells[0], "boringssl", 0.862, 0.01, "faster");
  cpu.metric = "cpu_client";
  result.cells[0].comparisons.push_back(cpu);
  const HtmlPage page = page_of(result);
  const std::string& text = details_of(page, 0).text;
  CHECK(contains(text, "CPU per operation, client (lower is better)\nboringssl0.8620.853 .. 0.871▲ less CPU3.1 %"));
  CHECK_FALSE(contains(details_of(page, 1).text, "7.757"));
}

TEST_CASE("Proof, with its source, and the counts of each side") {
  const std::string text = details_of(page_of(html_sample::result()), 0).text;
  for (const char* words :
       {"TLS 1.3 (wire)", "TLS_AES_128_GCM_SHA256 (wire)", "yes (library)", "ecdsa_secp256r1_sha256", "0 yes, 16 no",
        "16 of 16", "123.5 MB", "wolfssl client", "wolfssl server", "no TLS"})
    CHECK_MESSAGE(contains(text, words), words);
  CHECK(contains(text, "Of every arm with TLS: TLS 1.3; TLS_AES_128_GCM_SHA256; group x25519"));
  CHECK(contains(text, "plaintcp: no TLS."));
  CHECK_FALSE(contains(text, "wolfssl: 4"));
  report::Result other = html_sample::result();
  other.cells[0].arms[2].proof.group = "secp256r1";
  CHECK(contains(details_of(page_of(other), 0).text,
                 "group: x25519 (boringssl, ossl35, openssl, openssl#2); secp256r1 (wolfssl)"));
  CHECK(contains(text, "4.0 x more writes per message (client)"));
  CHECK(contains(text, "openssl: 1 of 10 blocks flagged: "));
}

TEST_CASE("Reasons stand beside verdicts, and nowhere else") {
  report::Result result = html_sample::result();
  for (report::Arm& arm : result.cells[0].arms) {
    if (arm.id == "plaintcp" || arm.id == "openssl#2") arm.proof.roles["client"] = html_sample::counts(2, 9, 1046, 86);
  }
  CHECK(count(details_of(page_of(result), 0).text, "Why: ") == 1);  // of wolfssl
}

TEST_CASE("What was measured stands above what came out") {
  const HtmlPage page = page_of(html_sample::result());
  const std::string& text = section(page, "measured").text;
  for (const char* words :
       {"echo: A request and its reply, echo.", "2 cells, each of 10 blocks; ratios are to openssl.",
        "AMD EPYC 7763 64-Core Processor, 2 processors, Linux 6.1.0, load 1.52 0.58 0.59"})
    CHECK_MESSAGE(contains(text, words), words);
  CHECK(page.text().find("What was measured") < page.text().find("Verdicts"));
}

TEST_CASE("Lines end between words, not within numbers or ids") {
  const std::string source = report::to_html(html_sample::result());
  CHECK(contains(source, "7.0\u00a0% to 9.6\u00a0%; limit 3.1\u00a0%)"));
  CHECK(contains(source, "echo/<wbr>message_size=1KiB"));
}

TEST_CASE("Thresholds: held, not held, not judged") {
  const HtmlPage page = page_of(html_sample::result());
  const std::string& text = section(page, "thresholds").text;
  for (const char* words : {"✓ held", "✕ not held", "? not judged", "low > 0.95", "1.070", "0.416", "the arm failed"})
    CHECK_MESSAGE(contains(text, words), words);
  CHECK(page_of(sample::result()).text().find("Thresholds") == std::string::npos);
}

TEST_CASE("Builds, machine, command and scenario") {
  const HtmlPage page = page_of(html_sample::result());
  const std::string &builds = section(page, "builds").text, &machine = section(page, "machine").text;
  for (const char* words :
       {"OpenSSL 3.0.17 1 Jul 2025", "libcrypto.so.3, build-id 7aa1b2c3d4", "ossl35", "plugin openssl", "build-id none",
        "wolfssl: this build has no hardware AES", "-march=native"})
    CHECK_MESSAGE(contains(builds, words), words);
  for (const char* words : {"tlsrig run echo ciphers --quick -s 'tls.cipher=A B'", "18446744073709551615",
                            "descriptors, soft", "AMD EPYC 7763", "28.4", "aes avx2", "2026-01-31T12:00:00Z"})
    CHECK_MESSAGE(contains(machine, words), words);
  CHECK(contains(section(page, "scenarios").text, "\"traffic.message_size\" = [\"1KiB\", \"16KiB\"]"));
}

TEST_CASE("Several runs: each with its machine and command") {
  const report::Result both = html_sample::of_two_runs();
  const HtmlPage page = page_of(both);
  const std::string& machine = section(page, "machine").text;
  for (const char* words : {"Run before", "Run after", "tlsrig run echo -o before", "tlsrig run echo -o after",
                            "processor of before", "processor of after", "11", "22", "INCOMPLETE"})
    CHECK_MESSAGE(contains(machine, words), words);
  CHECK(contains(page.text(), report::runs_sentence(both)));
  CHECK(contains(section(page, "matrix").text, "run before"));
}

TEST_CASE("Method: K for every number of blocks used") {
  const std::string text = section(page_of(html_sample::result()), "method").text;
  for (const char* words : {"Hodges-Lehmann", "Walsh averages", "signed-rank", "D = max(E, A/A)"})
    CHECK_MESSAGE(contains(text, words), words);
  CHECK(contains(text, "10558"));  // n, M and K in neighbouring fields
}

TEST_CASE("Twenty cells of forty blocks stay under two megabytes") {
  report::Result result = html_sample::result();
  const report::Cell cell = result.cells[0];
  result.cells.clear();
  for (int number = 0; number < 20; ++number) {
    result.cells.push_back(cell);
    result.cells.back().id += "/" + std::to_string(number);
    for (report::Arm& arm : result.cells.back().arms) {
      const auto once = arm.blocks;
      for (int times = 1; times < 4; ++times) arm.blocks.insert(arm.blocks.end(), once.begin(), once.end());
    }
  }
  CHECK(report::to_html(result).size() < 2'000'000);
}
