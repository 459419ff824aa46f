// Which arm of a cell stands where, and what it is ranked by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

using Arms = std::vector<const Arm*>;

// A cell's arms in the order in which every report shows them; they point into the cell.
struct Ranking {
  Arms ranked;     // ok, best first, the twin below its baseline
  Arms others;     // without a number
  Arms yardstick;  // plaintcp, whatever became of it

  Arms with_numbers() const;
};

Ranking rank(const Cell& cell);

// nullptr when the two were not compared, or one of them is not ok.
const Comparison* find_comparison(const Cell& cell, std::string_view arm, std::string_view metric);

// The name of the metric that the cell's arms are ranked by; empty when no arm has one.
std::string main_metric_name(const Cell& cell);

}  // namespace tlsrig::report
