// What stands between a result's strings and a page of Markdown.
#pragma once

#include <string>
#include <string_view>

namespace tlsrig::report {

// One line of running text or a table's entry, in which nothing is markup and nothing becomes a link, a mention or a
// reference: what would is parted by an invisible word joiner.
std::string markdown_text(std::string_view text);

// A code span; in a table's entry too.
std::string markdown_code(std::string_view text);

// A fenced block.
std::string markdown_block(std::string_view text);

}  // namespace tlsrig::report
