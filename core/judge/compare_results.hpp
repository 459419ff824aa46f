// A new result against an old one, by ratios of ratios.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include <tlsrig/report/run_comparison.hpp>

namespace tlsrig::judge {

struct CompareOptions {
  // The arm that others are put in relation to. Empty: plaintcp; of an engine, where plain copying is nothing worth
  // comparing with, and where plaintcp is not among the arms, the baseline.
  std::string reference;
  double threshold = 0.05;
  bool allow_other_machine = false, allow_other_scenario = false;
};

// what(): why these two results are not compared, with both values and what would allow it.
struct NotComparable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// For every cell and arm of both and every metric that each block has (throughput, CPU of each role, percentiles with
// samples enough in each block): the shift between the blocks' log ratios to the reference, OLD to NEW. `old_name` and
// `new_name` are what messages call them. Throws NotComparable.
report::RunComparison compare_results(const report::Result& old_result, const std::string& old_name,
                                      const report::Result& new_result, const std::string& new_name,
                                      const CompareOptions& options);

}  // namespace tlsrig::judge
