// What the tests of the HTML report have in common: pages of results, and parts of pages.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tlsrig/report/render.hpp>

#include "report_html_sample.hpp"
#include "support/html_page.hpp"

namespace html_tests {

namespace report = tlsrig::report;
using tlsrig::tests::Element;
using tlsrig::tests::HtmlPage;

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// Without what decides where lines end: no-break spaces, and the places for line ends behind slashes.
inline HtmlPage page_of(const report::Result& result) {
  return HtmlPage(replaced(replaced(report::to_html(result), "\u00a0", " "), "/<wbr>", "/"));
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

inline const Element& section(const HtmlPage& page, const std::string& id) {
  for (const Element* element : page.all("section")) {
    if (element->attributes.at("id") == id) return *element;
  }
  FAIL("no section " << id);
  return page.elements().front();
}

inline const Element& details_of(const HtmlPage& page, std::size_t cell) {
  const auto details = page.all("details", "cell");
  REQUIRE(cell < details.size());
  return *details[cell];
}

// The plots of a kind within an element.
inline std::vector<const Element*> plots(const HtmlPage& page, const std::string& kind, const Element& within) {
  std::vector<const Element*> found;
  for (const Element* plot : page.all("svg", kind)) {
    if (page.lies_in(*plot, within)) found.push_back(plot);
  }
  return found;
}

inline std::vector<const Element*> shapes(const HtmlPage& page, const std::string& name, const std::string& look,
                                          const Element& within) {
  std::vector<const Element*> found;
  for (const Element* shape : page.all(name, look)) {
    if (page.lies_in(*shape, within)) found.push_back(shape);
  }
  return found;
}

inline std::size_t with_numbers(const report::Cell& cell) {
  return static_cast<std::size_t>(std::count_if(
      cell.arms.begin(), cell.arms.end(), [](const report::Arm& arm) { return arm.status == report::Status::ok; }));
}

}  // namespace html_tests
