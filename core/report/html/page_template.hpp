// The templates of the page, which CMake makes into strings of the program: see CMakeLists.txt.
#pragma once

namespace tlsrig::report::html {

extern const char* const page_template;   // page.html.mustache
extern const char* const cell_template;   // cell.html.mustache
extern const char* const table_template;  // table.html.mustache
extern const char* const style_text;      // style.css

}  // namespace tlsrig::report::html
