// Every form that a report has beside the terminal's (model.hpp, terminal/comparison_text.hpp): each is made from the
// result alone.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/run_comparison.hpp>

namespace tlsrig::report {

// A row per cell, arm and metric, RFC 4180, with a heading row.
std::string to_csv(const Result& result);

// Tables for a pull request, an issue or a README: GitHub's Markdown.
std::string to_markdown(const Result& result);

// A comparison of two runs: what was found first, everything in a fold below. Strings of the results cannot break out
// of their places.
std::string to_markdown(const RunComparison& comparison);

// One self-contained page: no script, no network, every plot an inline SVG. Whatever the result's strings hold is shown
// and never interpreted.
std::string to_html(const Result& result);

// The JSON of Google Benchmark, one entry per cell, arm and block: its compare.py reads it.
std::string to_google_benchmark(const Result& result);

}  // namespace tlsrig::report
