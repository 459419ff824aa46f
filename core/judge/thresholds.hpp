// What a scenario demands, judged.
#pragma once

#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::judge {

// Every threshold for every arm that it is about, by the end of the interval that is unfavourable to it. Not judged,
// with a reason, where there is no interval: the arm or its baseline is not ok, there are too few blocks, or too few
// samples for a percentile of each block; and where the run did not come as far as the cell.
std::vector<report::Threshold> judge_thresholds(const std::vector<scenario::ScenarioPlan>& plans,
                                                const report::Result& result);

}  // namespace tlsrig::judge
