// A comparison of two runs, as it is read in a terminal.
#pragma once

#include <string>

#include <tlsrig/report/run_comparison.hpp>

namespace tlsrig::report {

// Cell by cell, what was found last.
std::string to_text(const RunComparison& comparison, const TextOptions& options);

}  // namespace tlsrig::report
