// The HTML report in a browser: that it fits its window at 400 and 1280 pixels, can be read in light and dark, loads
// nothing, and is whole on paper. Pictures and PDFs stay in TLSRIG_BROWSER_OUTPUT, to be looked at.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/render.hpp>

#include "chromium.hpp"
#include "report_html_sample.hpp"
#include "support/program.hpp"

namespace fs = std::filesystem;
using namespace tlsrig::tests;
namespace report = tlsrig::report;

namespace {

fs::path output() {
  fs::create_directories(TLSRIG_BROWSER_OUTPUT);
  return TLSRIG_BROWSER_OUTPUT;
}

fs::path written(const std::string& name, const std::string& text) {
  const fs::path file = output() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// A real run, as short as one with intervals can be.
const std::string& real_page() {
  static const std::string page = [] {
    const Scratch scratch;
    const std::string scenario = scratch.file(
        "short.toml",
        "schema = 1\nname = \"short\"\nworkload = \"echo\"\nbackends = [\"openssl\", \"boringssl\", \"plaintcp\"]\n"
        "[traffic]\nconnections = 4\n[measure]\nwarmup = \"20ms\"\nblock = \"40ms\"\nblocks = { min = 6, max = 6 }\n"
        "[matrix]\n\"traffic.message_size\" = [\"64B\", \"16KiB\"]\n");
    const Ended run = run_program({"run", scenario, "-B", TLSRIG_PLUGINS, "-q", "-o", "here"}, scratch.path());
    REQUIRE_MESSAGE(run.status == 0, run.err);
    return report::to_html(report::read_result(scratch / "here/result.json"));
  }();
  return page;
}

// Shows the page as it is in frames of both widths, opens every cell, and writes what it measures into a list. The page
// itself has no script and allows none: this one stands around it.
std::string probe_of(const std::string& page) {
  const std::string source = replaced(replaced(page, "&", "&amp;"), "\"", "&quot;");
  std::string probe = "<!DOCTYPE html><html><body>";
  for (const char* width : {"400", "1280"})
    probe += std::string("<iframe style=\"border:0\" height=\"800\" width=\"") + width + "\" srcdoc=\"" + source +
             "\"></iframe>";
  return probe + "<pre id=\"measured\"></pre><script>" + read_file(TLSRIG_BROWSER_PROBE) + "</script></body></html>";
}

struct Measured {
  double window = 0, content = 0, texts = 0, contrast = 0, font = 0, outside = -1, loaded = -1;
  std::string paper, where;
};

std::vector<Measured> measured(const std::string& name, const std::string& page, Scheme scheme) {
  const std::string dom = Chromium(output()).dumped(written(name + "-probe.html", probe_of(page)), scheme);
  const std::string mark = "<pre id=\"measured\">";
  const std::size_t begin = dom.find(mark);
  REQUIRE(begin != std::string::npos);
  std::istringstream lines(dom.substr(begin + mark.size(), dom.find("</pre>", begin) - begin - mark.size()));
  std::vector<Measured> all;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    std::istringstream words(line);
    Measured one;
    for (std::string word; words >> word;) {
      const std::string key = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
      if (key == "paper") one.paper = value;
      if (key == "where") one.where = value;
      for (const auto& [known, member] : {std::pair{"window", &Measured::window},
                                          {"content", &Measured::content},
                                          {"texts", &Measured::texts},
                                          {"contrast", &Measured::contrast},
                                          {"font", &Measured::font},
                                          {"outside", &Measured::outside},
                                          {"loaded", &Measured::loaded}})
        if (key == known) one.*member = std::stod(value);
    }
    all.push_back(one);
  }
  return all;
}

void check_layout(const std::string& name, const std::string& page) {
  for (const Scheme scheme : {Scheme::light, Scheme::dark}) {
    const std::vector<Measured> frames = measured(name, page, scheme);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].window == 400);
    CHECK(frames[1].window == 1280);
    for (const Measured& frame : frames) {
      CAPTURE(frame.window);
      CHECK(frame.content <= frame.window);            // tables scroll, never the page
      CHECK_MESSAGE(frame.outside == 0, frame.where);  // no text runs out of its window or plot
      CHECK(frame.texts > 200);
      CHECK(frame.font >= 11);
      CHECK(frame.contrast >= 4.5);  // WCAG AA
      CHECK(frame.loaded == 0);
      CHECK(frame.paper == (scheme == Scheme::light ? "rgb(255,255,255)" : "rgb(20,23,27)"));
    }
  }
}

struct Picture {
  unsigned width = 0, height = 0;
  std::string bytes;
};

Picture picture_in(const fs::path& file) {
  Picture picture{0, 0, read_file(file)};
  REQUIRE(picture.bytes.size() > 24);
  REQUIRE(picture.bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  const auto number = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t index = at; index < at + 4; ++index)
      value = value << 8 | static_cast<unsigned char>(picture.bytes[index]);
    return value;
  };
  picture.width = number(16);
  picture.height = number(20);
  return picture;
}

Picture shot(const std::string& name, const fs::path& page, Scheme scheme, int width, int height) {
  const fs::path file =
      output() / (name + "-" + std::to_string(width) + (scheme == Scheme::dark ? "-dark" : "-light") + ".png");
  fs::remove(file);
  Chromium(output()).shoot(page, scheme, width, height, file);
  return picture_in(file);
}

void check_pictures(const std::string& name, const std::string& page) {
  const fs::path file = written(name + ".html", page);
  constexpr int height = 2400;
  for (const int width : {400, 1280}) {
    const Picture light = shot(name, file, Scheme::light, width, height);
    const Picture dark = shot(name, file, Scheme::dark, width, height);
    for (const Picture& picture : {light, dark}) {
      CHECK(picture.width == static_cast<unsigned>(width));
      CHECK(picture.height == height);
      // What is blank takes a hundredth of its pixels in bytes at most, a page of text far more.
      CHECK(picture.bytes.size() > static_cast<std::size_t>(width) * height / 40);
    }
    CHECK(light.bytes != dark.bytes);
  }
}

// Chromium writes the objects of pages without compressing them.
std::size_t sheets(const std::string& name, const std::string& page) {
  const fs::path file = output() / (name + ".pdf");
  fs::remove(file);
  Chromium(output()).print(written(name + ".html", page), file);
  const std::string pdf = read_file(file), mark = "/Type /Page\n";
  REQUIRE(pdf.starts_with("%PDF-"));
  std::size_t count = 0;
  for (std::size_t at = pdf.find(mark); at != std::string::npos; at = pdf.find(mark, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("The sample fits, can be read, and loads nothing") {
  check_layout("sample", report::to_html(html_sample::result()));
}

TEST_CASE("So does a real run's page") { check_layout("real", real_page()); }

TEST_CASE("The scenario that the page shows can be run again") {
  const std::string page = real_page(), begin = "<pre>";
  const std::size_t at = page.find(begin, page.find("<section id=\"scenarios\">")) + begin.size();
  const std::string shown = replaced(page.substr(at, page.find("</pre>", at) - at), "&quot;", "\"");
  const Scratch scratch;
  const Ended checked = run_program({"validate", scratch.file("shown.toml", shown)}, scratch.path());
  CHECK_MESSAGE(checked.status == 0, checked.err);
}

TEST_CASE("Pictures of the sample") { check_pictures("sample", report::to_html(html_sample::result())); }

TEST_CASE("Pictures of a real run") { check_pictures("real", real_page()); }

TEST_CASE("A blank page does not pass for one") {
  const Picture blank =
      shot("blank", written("blank.html", "<!DOCTYPE html><title>x</title>"), Scheme::light, 1280, 2400);
  CHECK(blank.bytes.size() < 1280 * 2400 / 100);
}

TEST_CASE("On paper every cell is open") {
  const std::string page = report::to_html(html_sample::result());
  const std::size_t all_open = sheets("opened", replaced(page, "<details class", "<details open class"));
  CHECK(sheets("sample", page) == all_open);
  // The rule in the style sheet does it; without it only the first one would be.
  CHECK(sheets("folded", replaced(page, "details::details-content", "details::no-such-part")) < all_open);
}
