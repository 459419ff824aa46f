// What the page's template is filled with. All text goes through here, and is cleaned; only what this box itself made
// as markup (plots) enters as such.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kainjow/mustache.hpp>

#include <tlsrig/report/html/escape.hpp>

namespace tlsrig::report::html {

class Fields;
using List = std::vector<Fields>;

// The fields of one part of the template, by name; has_NAME beside each tells whether there is anything in it. The
// template's {{name}} escapes. A field that is not set is looked for in the parts around this one, so every field of a
// part is set, if to nothing.
class Fields {
 public:
  Fields& text(const std::string& name, std::string_view words) { return set(name, clean(words)); }

  // Of sentences: numbers keep their units on the line.
  Fields& prose(const std::string& name, std::string_view words) { return set(name, unbroken(clean(words))); }

  // For {{{name}}}: the id of a cell, which is broken where its parts end.
  Fields& id(const std::string& name, std::string_view words) { return set(name, broken_at_slashes(words)); }

  // For <pre>: line feeds stay.
  Fields& lines(const std::string& name, std::string_view words) { return set(name, clean(words, true)); }

  Fields& flag(const std::string& name, bool value) {
    data_.set(name, value);
    return *this;
  }

  // For {{{name}}}: markup made by a plot.
  Fields& plot(const std::string& name, const std::string& markup) { return set(name, markup); }

  Fields& part(const std::string& name, const Fields& fields) {
    data_.set(name, fields.data_);
    return *this;
  }

  // {{#name}} is repeated for each.
  Fields& list(const std::string& name, const List& items);

  // {{> name}}: a template within the template.
  Fields& partial(const std::string& name, const char* source) {
    data_.set(name, kainjow::mustache::data(kainjow::mustache::partial([source] { return std::string(source); })));
    return *this;
  }

  const kainjow::mustache::data& data() const { return data_; }

 private:
  Fields& set(const std::string& name, const std::string& words) {
    data_.set(name, words);
    data_.set("has_" + name, !words.empty());
    return *this;
  }

  kainjow::mustache::data data_;
};

inline Fields& Fields::list(const std::string& name, const List& items) {
  kainjow::mustache::data all(kainjow::mustache::data::type::list);
  for (const Fields& item : items) all.push_back(item.data_);
  data_.set(name, std::move(all));
  data_.set("has_" + name, !items.empty());
  return *this;
}

}  // namespace tlsrig::report::html
