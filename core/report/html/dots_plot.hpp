// What each block measured, arm and baseline joined: whether the difference holds in every block, and how much the
// machine drifted meanwhile.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// Operations per second of the arm (filled) and of the baseline (hollow) over the blocks, on a logarithmic axis, so
// that equal ratios are equally long lines. The lines join what one block measured of both; flagged blocks have a
// triangle at the axis, filled or hollow as the dots of the arm that they concern. An arm that is the baseline, or
// whose baseline gave no number, stands alone. Empty without blocks.
std::string dots_plot(const Cell& cell, const Arm& arm);

}  // namespace tlsrig::report::html
