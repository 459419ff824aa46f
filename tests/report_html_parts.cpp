// What the HTML report is made with: cleaning, axes, the figures of its method box, scenarios as text.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/report/html/axis.hpp>
#include <tlsrig/report/html/escape.hpp>
#include <tlsrig/report/html/scenario_text.hpp>

#include "report_html_sample.hpp"

namespace report = tlsrig::report;
namespace html = tlsrig::report::html;

TEST_CASE("Text is cleaned to valid UTF-8 without controls") {
  CHECK(html::clean("grün µ 漢 🔒") == "grün µ 漢 🔒");
  CHECK(html::clean("a\xff"
                    "b\xc3") ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(html::clean("\xc0\xaf") == "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  CHECK(html::clean("\xed\xa0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  CHECK(html::clean("\xf4\x90\x80\x80").size() == 12);                           // beyond U+10FFFF
  CHECK(html::clean(std::string("a\0b\x1b\n", 5)) == "a b  ");
  CHECK(html::clean("a\nb\tc", true) == "a\nb c");
  CHECK(html::clean("\xc2\x85") == " ");  // U+0085, a control
  CHECK(html::clean("a\xe2\x80\xae"
                    "b") ==
        "a\xEF\xBF\xBD"
        "b");  // right-to-left override
  CHECK(html::escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

TEST_CASE("Numbers keep their units on the line, ids end theirs at slashes") {
  CHECK(html::unbroken("by 7.5 %). 2 x 1.2 .. 1.3 in 3 cells x y") ==
        "by 7.5\u00a0%). 2\u00a0x 1.2\u00a0..\u00a01.3 in 3 cells x y");
  CHECK(html::unbroken(" 105.0 µs  a ") == " 105.0\u00a0µs  a ");
  CHECK(html::unbroken("").empty());
  CHECK(html::broken_at_slashes("a/<b>") == "a/<wbr>&lt;b&gt;");
}

TEST_CASE("An effective scenario is written as a scenario file") {
  const report::Json effective = html_sample::effective("echo");
  CHECK(html::scenario_text(effective) ==
        "schema = 1\nname = \"echo\"\ndescription = \"A request and its reply, echo.\"\nworkload = \"echo\"\nbackends "
        "= [\"openssl\", \"boringssl\"]\n# quick = true\n"
        "\n[roles]\nclient = { backend = \"backend\" }\n"
        "\n[measure]\nblocks = { min = 10, max = 10 }\nequivalence = \"2%\"\n"
        "\n[matrix]\n\"traffic.message_size\" = [\"1KiB\", \"16KiB\"]\n");
  CHECK(html::scenario_text({{"a", nullptr}, {"t", {{"u v", {{"w", {{"x", 1}}}}}}}}) ==
        "# a = null\n\n[t]\n\n[t.\"u v\"]\nw = { x = 1 }\n");
  CHECK(html::scenario_text({{"a", 1}, {"quick", false}, {"filter", ""}, {"changed", {"a"}}}) == "a = 1\n");
  CHECK(html::scenario_text(nullptr).empty());
}

TEST_CASE("Axes mark round values, few of them, within the range") {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {0.97, 1.05}, {0.33, 3}, {0.9, 1.3}, {1e-9, 1}, {3, 7}, {1e-3, 1e6}, {0.999, 1.08}, {40e3, 43e3}}) {
    const html::LogAxis axis(low, high, 0, 100);
    const std::vector<double> marks = axis.marks(7);
    CAPTURE(low);
    CHECK(marks.size() >= 2);
    CHECK(marks.size() <= 7);
    for (const double mark : marks) CHECK(axis.holds(mark));
    CHECK(std::is_sorted(marks.begin(), marks.end()));
    CHECK(axis.at(low) == doctest::Approx(0));
    CHECK(axis.at(high) == doctest::Approx(100));
    CHECK(axis.at(high * 9) == doctest::Approx(100));
    const std::vector<double> spaced = axis.marks(7, 20);
    for (std::size_t index = 1; index < spaced.size(); ++index)
      CHECK(axis.at(spaced[index]) - axis.at(spaced[index - 1]) >= 19.99);
    if (low < 1 && high > 1 && high / low < 4) CHECK(std::count(spaced.begin(), spaced.end(), 1.0) == 1);
  }
}
