// The plots of the HTML report, by what they hold.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "report_html_sample.hpp"
#include "report_html_support.hpp"

using namespace html_tests;

TEST_CASE("A plot has as many dots, lines, curves and bars as the data") {
  const report::Result result = html_sample::result();
  const HtmlPage page = page_of(result);
  const Element& details = details_of(page, 0);
  const report::Cell& cell = result.cells[0];
  const auto dots = plots(page, "dots", details);
  REQUIRE(dots.size() == cell.arms.size() - 1);
  for (const Element* plot : dots) {
    // One more of each in the legend.
    const auto drawn = [&](const std::string& look) {
      std::size_t number = 0;
      for (const Element* path : shapes(page, "path", look, *plot)) number += count(path->attributes.at("d"), "h0");
      return number;
    };
    CHECK(drawn("mine") == html_sample::blocks_measured + 1);
    CHECK(drawn("theirs") == html_sample::blocks_measured + 1);
    const auto pairs = shapes(page, "path", "pairs", *plot);
    REQUIRE(pairs.size() == 1);
    CHECK(count(pairs[0]->attributes.at("d"), "V") == html_sample::blocks_measured);
    const auto flags = shapes(page, "path", "flag", *plot);
    REQUIRE(flags.size() == 1);
    CHECK(HtmlPage::has_class(*flags[0], "hollow"));  // the baseline's
    CHECK(count(flags[0]->attributes.at("d"), "M") == 1);
    CHECK(contains(plot->text, "flagged: △ openssl"));
  }
  const auto quantiles = plots(page, "quantiles", details);
  REQUIRE(quantiles.size() == 1);
  CHECK(shapes(page, "path", "curve", *quantiles[0]).size() == 2 * cell.arms.size());  // and the legend
  CHECK(plots(page, "quantiles", details_of(page, 2)).empty());                        // no histograms
  const auto cpu = plots(page, "cpu", details);
  REQUIRE(cpu.size() == 1);
  CHECK(shapes(page, "rect", "user", *cpu[0]).size() == 2 * cell.arms.size() + 1);
  CHECK(shapes(page, "rect", "system", *cpu[0]).size() == 2 * cell.arms.size() + 1);
}

TEST_CASE("A forest plot has a mark, an interval and both bands for every ratio") {
  const report::Result result = html_sample::result();
  const HtmlPage page = page_of(result);
  const auto forests = plots(page, "forest", section(page, "matrix"));
  REQUIRE(forests.size() == 3);  // not where the baseline failed
  for (std::size_t index = 0; index < forests.size(); ++index) {
    const std::size_t ratios = with_numbers(result.cells[index]) - (index < 2 ? 2 : 1);  // baseline, yardstick
    const std::size_t marks = shapes(page, "circle", "estimate", *forests[index]).size() +
                              shapes(page, "path", "beyond", *forests[index]).size();
    CHECK(marks == ratios);
    CHECK(shapes(page, "line", "one", *forests[index]).size() == ratios);
    CHECK(shapes(page, "line", "interval", *forests[index]).size() >= ratios);
    CHECK(contains(forests[index]->text, "log scale; right is better"));
  }
  CHECK(shapes(page, "rect", "band-limit", *forests[0]).size() == 4 + 1);  // and the legend
  CHECK(shapes(page, "rect", "band-equivalence", *forests[0]).size() == 4 + 1);
  CHECK(contains(forests[0]->text, "equivalence 2.0 %"));
  CHECK(contains(forests[0]->text, "limit 3.1 %"));
}

TEST_CASE("An arm far off is an arrow, and the others keep the axis") {
  report::Result result = html_sample::result();
  result.cells.resize(1);
  const auto arrows = [&] {
    const HtmlPage page = page_of(result);
    return shapes(page, "path", "beyond", *plots(page, "forest", section(page, "matrix")).at(0)).size();
  };
  CHECK(arrows() == 1);  // wolfssl, 0.424
  result.cells[0].comparisons[1] = html_sample::compared(result.cells[0], "wolfssl", 0.6, 0.02, "slower");
  CHECK(arrows() == 0);
  // Beside an arm on the way to it 0.424 is not far.
  result.cells[0].comparisons[1] = html_sample::compared(result.cells[0], "wolfssl", 0.424, 0.02, "slower");
  result.cells[0].comparisons[2] = html_sample::compared(result.cells[0], "ossl35", 0.6, 0.02, "slower");
  CHECK(arrows() == 0);
}

TEST_CASE("Marks of a forest plot's axis stay within it, wherever the intervals end") {
  std::size_t marks = 0, at_edges = 0;
  for (int step = 0; step < 60; ++step) {
    report::Result result = html_sample::result();
    for (report::Comparison& comparison : result.cells[0].comparisons)
      if (comparison.low) comparison.low = *comparison.low * (1 - 0.004 * step);
    const HtmlPage page = page_of(result);
    const auto forests = plots(page, "forest", section(page, "matrix"));
    for (const Element* text : shapes(page, "text", "tick", *forests[0])) {
      const double x = std::stod(text->attributes.at("x")), half = 3.3 * static_cast<double>(text->text.size());
      if (!text->attributes.contains("text-anchor")) {
        at_edges += x == 0 && text->text.find_first_not_of("0123456789.") == std::string::npos ? 1 : 0;
        continue;
      }
      const bool middle = text->attributes.at("text-anchor") == "middle";
      at_edges += middle ? 0 : 1;
      marks += middle ? 1 : 0;
      if (middle) CHECK(x >= half);
      if (middle) CHECK(x <= 360 - half);
    }
  }
  CHECK(marks > 200);
  CHECK(at_edges > 0);
}

TEST_CASE("A limit that is the equivalence is no band of its own") {
  report::Result result = html_sample::result();
  result.cells.resize(1);
  for (report::Comparison& comparison : result.cells[0].comparisons) {
    if (comparison.limit) comparison.limit = 0.02;
  }
  const HtmlPage page = page_of(result);
  const Element& forest = *plots(page, "forest", section(page, "matrix")).at(0);
  CHECK(shapes(page, "rect", "band-limit", forest).empty());
  CHECK(contains(forest.text, "equivalence and limit 2.0 %"));
}

TEST_CASE("Plots speak to those who do not see them") {
  const HtmlPage page = page_of(html_sample::result());
  const auto svgs = page.all("svg");
  CHECK(svgs.size() >= 15);
  for (const Element* svg : svgs) {
    CHECK(svg->attributes.at("role") == "img");
    CHECK(svg->attributes.at("viewBox").starts_with("0 0 360 "));
    std::string title, description;
    for (const Element* each : page.all("title")) title += page.lies_in(*each, *svg) ? each->text : "";
    for (const Element* each : page.all("desc")) description += page.lies_in(*each, *svg) ? each->text : "";
    CHECK_FALSE(title.empty());
    CHECK_FALSE(description.empty());
  }
}

TEST_CASE("What a file may hold does not break a plot") {
  report::Result result = html_sample::result();
  report::Cell& cell = result.cells[0];
  cell.arms[0].blocks[0].seconds = 0;         // no rate
  cell.arms[1].blocks.clear();                // no blocks
  cell.arms[2].blocks[0].histogram = "text";  // no histogram
  cell.arms[2].blocks[1].histogram = {{-5, 1}, {"a", 2}, {1}, 7};
  cell.arms[3].metrics.clear();
  cell.comparisons[1].ratio = cell.comparisons[1].low = cell.comparisons[1].high = 1e-300;
  cell.comparisons[3].high = 1e300;
  const HtmlPage page = page_of(result);
  CHECK_FALSE(contains(page.text(), "nan"));
  CHECK_FALSE(contains(page.text(), "inf "));
  for (const Element* path : page.all("path")) {
    CHECK_FALSE(contains(path->attributes.at("d"), "nan"));
    CHECK_FALSE(contains(path->attributes.at("d"), "inf"));
  }
}
