// What the twins say, as the result file repeats it.
#pragma once

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// "self_check" of a cell: {METRIC: {"ratio", "low", "high"}}; null without a comparison of a twin.
Json self_check_of(const Cell& cell);

// "self_check" at the top: the A/A comparison of a cell's main metric that differs most; null when there is none.
Json worst_self_check(const Result& result);

}  // namespace tlsrig::report
