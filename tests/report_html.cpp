// The HTML report, by its text: what it says, that it is whole, and that nothing it quotes becomes markup. How it looks
// is for tests/browser.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
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
    const HtmlPage page(source);
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
    CHECK(contains(fastest(), "boringssl first, but not told apart from ossl35"));
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
  for (const char* words : {"▲ faster", "▼ slower", "= equivalent", "? inconclusive", "◆ baseline", "◇ A/A twin",
                            "○ no TLS", "✕ failed", "∅ unsupported", "… incomplete"})
    CHECK_MESSAGE(contains(text, words), words);
  for (const report::Cell& cell : result.cells) {
    for (const report::Comparison* comparison : report::valid_comparisons(cell)) {
      const std::string numbers = report::format_ratio(*comparison->ratio) + " (" +
                                  report::format_ratio(*comparison->low) + " .. " +
                                  report::format_ratio(*comparison->high) + ")";
      CHECK_MESSAGE(count(text, numbers) >= 2, numbers);  // table and forest plot
    }
    for (const report::Arm& arm : cell.arms) CHECK(contains(text, arm.id));
  }
}

TEST_CASE("Arms without a number have a reason, and no number, ratio or rank anywhere") {
  const report::Result result = html_sample::result();
  const std::string source = report::to_html(result);
  const HtmlPage page(source);
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
  CHECK(contains(text, "CPU per operation, clientboringssl0.8620.853 .. 0.871▲ faster3.1 %"));
  CHECK_FALSE(contains(details_of(page, 1).text, "7.757"));
}

TEST_CASE("Proof, with its source, and the counts of each side") {
  const std::string text = details_of(page_of(html_sample::result()), 0).text;
  for (const char* words :
       {"TLS 1.3 (wire)", "TLS_AES_128_GCM_SHA256 (wire)", "yes (library)", "ecdsa_secp256r1_sha256", "0 yes, 16 no",
        "16 of 16", "123.5 MB", "wolfssl client", "wolfssl server", "no TLS"})
    CHECK_MESSAGE(contains(text, words), words);
  CHECK(contains(text, "4.0 x more writes per message (client)"));
  CHECK(contains(text, "Flagged blocks"));
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
