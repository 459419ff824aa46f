// Whether two results are of one machine and one scenario.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::judge {

// What keeps two results from being compared, or should be known when they are: each a sentence part that names the
// thing and both values.
struct Differences {
  std::vector<std::string> machine;   // processor, its number and flags, architecture: another machine
  std::vector<std::string> scenario;  // settings of what was measured, cells and arms that only one has
  std::vector<std::string> minor;     // kernel, C library, clock, lengths of blocks, version of the program
};

// The baseline, its twin, the seed, the number of blocks and what ends a run are nobody's difference, nor are the
// builds of the backends: those are what is compared.
Differences differences(const report::Result& old_result, const report::Result& new_result);

}  // namespace tlsrig::judge
