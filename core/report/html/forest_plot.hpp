// The forest plot of a cell: each arm's ratio to the baseline with its interval.
#pragma once

#include <optional>
#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// The axis is logarithmic and at most from 1/3 to 3, so that a few percent can be seen beside an arm that is many times
// slower: what lies beyond becomes an arrow at the edge, its numbers stand beside it all the same. 1 is marked; the
// band of the limit and, within it, that of the equivalence are shaded. An arm without a number stands there with its
// reason and without a mark. Empty when no arm is compared.
std::string forest_plot(const Cell& cell);

// The limit that the cell's verdicts on its main metric were held against; the largest, should they differ. Without
// verdicts what the twin allows; empty without that too.
std::optional<double> limit_of(const Cell& cell);

// The difference that the scenario calls of no interest; empty when the cell has no verdicts and no twin.
std::optional<double> equivalence_of(const Cell& cell);

}  // namespace tlsrig::report::html
