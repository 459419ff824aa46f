// Several results in one report. Two runs never compare, and nothing here lets them: cells stay apart, and what a cell,
// scenario or backend record belongs to is in its `run`.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

struct NamedResult {
  std::string file;  // as it was given; "-" is standard input
  Result result;
};

struct SameRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A sole result as it is. Of several: each gets a label, made from its file's name or that of the directory that holds
// a result.json; a result that holds several runs already gives each of them as LABEL/ITS-LABEL. Where runs have a
// scenario of one name, or their machines differ, "@LABEL" stands behind the name of every scenario, also at the
// beginning of cell ids. Throws SameRun when one run comes twice, under whatever names: what it measured would count
// twice.
Result merge(std::vector<NamedResult> results);

// "2 runs, before and after, stand side by side; ...": that nothing is compared between them, and in which respects
// their machines differ. Empty for one run.
std::string runs_sentence(const Result& result);

}  // namespace tlsrig::report
