// How long operations took, from the fastest to the slowest few.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// One curve per arm that has a number and histograms, over all its blocks: the time that a share q of its operations
// did not exceed. The axis is 1 - q on a logarithmic scale, so that the tail takes as much room as the bulk; each curve
// ends where ten samples lie beyond it, as printed percentiles do. Empty when no arm has a histogram.
std::string quantile_plot(const Cell& cell);

}  // namespace tlsrig::report::html
