// Reads an HTML page of the report as strictly as its template is written: every tag is one that the page may have,
// every attribute is quoted, every element is closed in order, and no text holds a raw < or >. Whatever a hostile
// string managed to add shows as a fault or as one more element.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::tests {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;  // unescaped
  std::string text;                               // unescaped, with that of the elements inside
  std::size_t parent = 0;                         // index; the root is its own
};

struct HtmlFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view source) : rest_(source) {
    take("<!DOCTYPE html>\n");
    elements_.push_back({"page", {}, "", 0});
    open_ = {0};
    while (!rest_.empty()) step();
    if (open_.size() != 1) throw HtmlFault("not closed: " + elements_[open_.back()].name);
  }

  const std::vector<Element>& elements() const { return elements_; }
  const std::string& text() const { return elements_.front().text; }

  // The names of all elements in order: the page's structure.
  std::vector<std::string> structure() const {
    std::vector<std::string> names;
    for (const Element& element : elements_) names.push_back(element.name);
    return names;
  }

  // Elements of a name whose class list holds a word.
  std::vector<const Element*> all(const std::string& name, const std::string& look = "") const {
    std::vector<const Element*> found;
    for (const Element& element : elements_) {
      if (element.name == name && has_class(element, look)) found.push_back(&element);
    }
    return found;
  }

  static bool has_class(const Element& element, const std::string& look) {
    if (look.empty()) return true;
    const auto classes = element.attributes.find("class");
    return classes != element.attributes.end() &&
           (" " + classes->second + " ").find(" " + look + " ") != std::string::npos;
  }

  bool lies_in(const Element& element, const Element& ancestor) const {
    for (std::size_t at = element.parent; at != 0; at = elements_[at].parent) {
      if (&elements_[at] == &ancestor) return true;
    }
    return false;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw HtmlFault(what + " at: " + std::string(rest_.substr(0, 80)));
  }

  bool begins(std::string_view text) const { return rest_.starts_with(text); }

  void take(std::string_view text) {
    if (!begins(text)) fail("expected " + std::string(text));
    rest_.remove_prefix(text.size());
  }

  std::string take_name() {
    const std::size_t size = std::min(
        rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"), rest_.size());
    if (size == 0) fail("expected a name");
    const std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  std::string unescaped(std::string_view text) const {
    static const std::map<std::string_view, char> entities = {{"amp", '&'},  {"lt", '<'},    {"gt", '>'},
                                                              {"quot", '"'}, {"apos", '\''}, {"#39", '\''}};
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char byte = text[at];
      if (byte == '<' || byte == '>') fail("a raw < or > in text: " + std::string(text.substr(0, 80)));
      if (byte != '&') {
        if (static_cast<unsigned char>(byte) < 0x20 && byte != '\n') fail("a control character");
        result += byte;
        continue;
      }
      const std::size_t end = text.find(';', at);
      if (end == std::string_view::npos || !entities.count(text.substr(at + 1, end - at - 1)))
        fail("an unknown entity");
      result += entities.at(text.substr(at + 1, end - at - 1));
      at = end;
    }
    return result;
  }

  void step() {
    if (begins("</")) return close();
    if (begins("<")) return open();
    const std::size_t size = std::min(rest_.find('<'), rest_.size());
    const std::string text = unescaped(rest_.substr(0, size));
    for (const std::size_t index : open_) elements_[index].text += text;
    rest_.remove_prefix(size);
  }

  void close() {
    take("</");
    const std::string name = take_name();
    take(">");
    if (elements_[open_.back()].name != name) fail("</" + name + "> closes " + elements_[open_.back()].name);
    open_.pop_back();
  }

  void open() {
    static const std::set<std::string> known = {
        "html", "head", "meta",  "title", "style", "body", "header", "main", "section", "h1",         "h2",
        "h3",   "h4",   "p",     "ul",    "li",    "a",    "b",      "br",   "span",    "div",        "dl",
        "dt",   "dd",   "table", "thead", "tbody", "tr",   "th",     "td",   "figure",  "details",    "summary",
        "pre",  "code", "sub",   "svg",   "desc",  "line", "rect",   "path", "text",    "figcaption", "circle"};
    static const std::set<std::string> empty = {"meta", "br"};
    take("<");
    Element element{take_name(), {}, "", open_.back()};
    if (!known.count(element.name)) fail("an element that no page has: " + element.name);
    while (begins(" ")) take_attribute(element);
    const bool closed = begins("/>");
    take(closed ? "/>" : ">");
    const bool is_style = element.name == "style";
    elements_.push_back(std::move(element));
    if (is_style) {  // not text: nothing from a result may be in it, which the test sees to
      const std::size_t size = std::min(rest_.find("</"), rest_.size());
      elements_.back().text = std::string(rest_.substr(0, size));
      rest_.remove_prefix(size);
    }
    if (!closed && !empty.count(elements_.back().name)) open_.push_back(elements_.size() - 1);
  }

  void take_attribute(Element& element) {
    take(" ");
    const std::string name = take_name();
    std::string value;
    if (begins("=")) {
      take("=\"");
      const std::size_t size = std::min(rest_.find('"'), rest_.size());
      value = unescaped(rest_.substr(0, size));
      rest_.remove_prefix(size);
      take("\"");
    }
    if (!element.attributes.emplace(name, value).second) fail("an attribute twice: " + name);
  }

  std::string_view rest_;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
};

}  // namespace tlsrig::tests
