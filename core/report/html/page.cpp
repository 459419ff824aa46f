// The whole page: the template with its fields.
#include <stdexcept>
#include <string>

#include <tlsrig/report/html/page_template.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/render.hpp>

namespace tlsrig::report {

namespace {

// A template that is part of the program: what is wrong with it is a fault of the build.
kainjow::mustache::mustache parsed(const char* text) {
  kainjow::mustache::mustache page(text);
  if (!page.is_valid()) throw std::logic_error("core/report/html/page.html.mustache: " + page.error_message());
  return page;
}

}  // namespace

std::string to_html(const Result& result) {
  html::Fields fields;
  html::add_summary(fields, result);
  html::add_measured(fields, result);
  html::add_matrices(fields, result);
  html::add_cells(fields, result);
  html::add_runs(fields, result);
  html::add_method(fields, result);
  fields.plot("style", html::style_text)
      .partial("table", html::table_template)
      .partial("cell_details", html::cell_template);
  return parsed(html::page_template).render(fields.data());
}

}  // namespace tlsrig::report
