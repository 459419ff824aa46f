// The forest plot of a cell: each arm's ratio to the baseline with its interval.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// The axis is logarithmic and fits the arms with verdicts, so that a few percent can be seen beside an arm that is many
// times slower: what lies more than 2 x beyond all others becomes an arrow at the edge, its numbers stand beside it all
// the same. 1 is marked; the band of the limit and, within it, that of the equivalence are shaded. An arm without a
// number stands there with its reason and without a mark; the yardstick stands in the table alone. Empty when no arm
// but the yardstick is compared.
std::string forest_plot(const Cell& cell);

}  // namespace tlsrig::report::html
