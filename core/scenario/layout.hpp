// Cells and arms: every combination of the axes, times what is compared.
#pragma once

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

struct LayoutRequest {
  const Draft& draft;
  const Settings& base;
  std::string name;      // of the scenario: cell ids begin with it
  std::string arms;      // "backends", or the path of an axis
  std::string baseline;  // empty: the first arm of each cell
};

// All cells, checked arm by arm; what they say is of use only when no diagnostic was added.
std::vector<CellPlan> lay_out(const LayoutRequest& request, Diagnostics& diagnostics);

}  // namespace tlsrig::scenario
