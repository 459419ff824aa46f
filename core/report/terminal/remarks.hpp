// What stands below a cell's table in the terminal report.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// Reasons, CPU ratios of each side, open ends, blocks that were disturbed; with TextOptions::verbose all other
// comparisons and what else was proved. Indented lines; empty when there is nothing to say.
std::string remarks_text(const Result& result, const Cell& cell, const TextOptions& options);

}  // namespace tlsrig::report
