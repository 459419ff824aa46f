// What stands between a result's strings and the page: plugins, libraries and scenario files wrote them, and none of
// them may become markup.
#pragma once

#include <string>
#include <string_view>

namespace tlsrig::report::html {

// Valid UTF-8 without control characters: each wrong byte becomes U+FFFD, a control character a space (kept: line
// feeds, when asked), and what turns the direction of writing U+FFFD, since it makes a text read as another. Not
// escaped: for the page's template, whose {{ }} does it.
std::string clean(std::string_view text, bool keep_lines = false);

// The same with & < > " and ' escaped: for element content and quoted attributes, in HTML and in SVG within it.
std::string escaped(std::string_view text);

// With no-break spaces where a line must not end: before units, "%" and "x", and within intervals "1 .. 2".
std::string unbroken(std::string_view text);

// Markup: the text escaped, with a place for a line's end behind each slash. Not a zero-width space, which would go
// along when an id is copied from the page into a command.
std::string broken_at_slashes(std::string_view text);

}  // namespace tlsrig::report::html
