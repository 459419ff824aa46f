// The tables of a report in Markdown.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// Per scenario: where its cells have the same arms one table of cells and arms, else one per cell.
std::string markdown_tables(const Result& result);

// What was demanded, and whether it held. Empty when nothing was.
std::string markdown_thresholds(const Result& result);

}  // namespace tlsrig::report
