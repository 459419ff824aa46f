// A comparison of two runs, as it is read in a terminal and in a pull request.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/run_comparison.hpp>

namespace tlsrig::report {

// Cell by cell, what was found last.
std::string to_text(const RunComparison& comparison, const TextOptions& options);

// GitHub's Markdown: what was found first, everything in a fold below. Strings of the results cannot break out of their
// places.
std::string to_markdown(const RunComparison& comparison);

// Shared by both, in the order to be read: what was lost, what was found ("WORSE: 2 of 36 ratios lie wholly beyond 5.0
// % on the worse side."), and what is not ruled out.
std::vector<std::string> findings_of(const RunComparison& comparison);

// How to get a sharper answer than any comparison of two runs.
extern const char* const compare_in_one_run;

}  // namespace tlsrig::report
