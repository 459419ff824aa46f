// Arms of one cell against its baseline, and when enough has been measured.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::judge {

// Fills the cell's comparisons: every arm that is ok against the baseline, for throughput, service times and CPU per
// operation of each role, paired by block. None when the baseline is not ok. The twin has a
// ratio but no verdict, and so has a plain arm beside arms with TLS; settings of plain TCP among themselves are judged.
void compare_arms(report::Cell& cell, const scenario::Settings& settings);

// Whether every arm still in the race is known to the target precision: looks at the width of the intervals alone,
// never at a verdict, since stopping on a verdict makes verdicts too frequent; and only every few blocks (see
// stats/stopping.hpp), for the rest it is false. True when the baseline is out: no ratio would get narrower.
bool precise_enough(const report::Cell& cell, const scenario::Settings& settings);

}  // namespace tlsrig::judge
