// --filter: choosing cells by a regular expression on their ids.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/scenario/diagnostics.hpp>

namespace tlsrig::scenario {

// The cells in whose id the POSIX extended regular expression finds something; a diagnostic when it is none, is too
// large or finds nothing.
std::vector<CellPlan> filter_cells(std::vector<CellPlan> cells, const std::string& regex, Diagnostics& diagnostics);

}  // namespace tlsrig::scenario
