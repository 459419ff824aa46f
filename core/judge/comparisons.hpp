// Arms of one cell against its baseline, and when enough has been measured.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::judge {

// Fills the cell's comparisons: every arm that is ok against the baseline, for throughput and CPU per operation of each
// role, paired by block. None when the baseline is not ok. The plain arm and the twin have a ratio but no verdict.
void compare_arms(report::Cell& cell, const scenario::Settings& settings);

// Whether every arm still in the race is known to the target precision: looks at the width of the intervals alone,
// never at a verdict, since stopping on a verdict makes verdicts too frequent.
bool precise_enough(const report::Cell& cell, const scenario::Settings& settings);

}  // namespace tlsrig::judge
