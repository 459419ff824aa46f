// What a result comes to as an exit status.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::cli {

struct Outcome {
  int status = 0;
  std::vector<std::string> why;  // a sentence for each thing that is not as it should be
};

// The first that applies: 3 (an arm failed or is incomplete, or `lost`: a result could not be written), 77 (every arm
// is unsupported), 1 (a threshold is not held), 4 (strict alone: a verdict on the metric that arms are ranked by is
// inconclusive or missing, a baseline has no number, A/A is not resolved, a threshold is not judged), 0. Of a run that
// no signal has ended.
Outcome outcome_of(const report::Result& result, bool lost, bool strict);

}  // namespace tlsrig::cli
