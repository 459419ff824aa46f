// Blocks that something disturbed, as seen against the arm's other blocks. They count all the same: data that is left
// out because it looks odd makes every interval too narrow.
#pragma once

#include <tlsrig/report/model.hpp>

namespace tlsrig::judge {

// Adds to the flags of the arm's blocks, once each:
//   "switches": a role's process was made to give up its processor more than 10 times as often as in the median block
//               (a median below 1 counts as 1)
//   "outlier":  the throughput lies more than 10 median absolute deviations from the median block's (deviations below
//               0.1 % count as that)
// "steal" and "late" are known at the block itself, and are the rig's to set.
void flag_blocks(report::Arm& arm);

}  // namespace tlsrig::judge
