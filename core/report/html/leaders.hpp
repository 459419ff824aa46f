// Who is the fastest of a cell, as far as ratios to one baseline can tell.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/html/fields.hpp>
#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

struct Leader {
  std::string name;               // whom the cell's line names: an arm, or that it is not decided
  std::string words;              // "fastest", "first, not told apart from wolfssl"
  const Arm* arm = nullptr;       // whose verdict is the evidence; it points into the cell
  std::vector<std::string> tied;  // arms whose intervals do not lie wholly behind the leader's
  const Arm* next = nullptr;      // the arm behind it, by its ratio: the baseline, too
};

// Arms are compared with the baseline and not with each other, so a leader is named only as far as that carries: it was
// shown to be better than the baseline, and from every other arm with a verdict, whatever that verdict is, it is told
// apart only where the two intervals do not meet.
Leader leader_of(const Cell& cell);

// A line per cell: who leads, the margin over the baseline, and by how much the next one is behind.
List leaders_of(const Result& result);

// "boringssl in 2 of 3 cells, tied with wolfssl in 1": the short answer for a scenario.
std::string fastest_words(const Result& result, const std::string& scenario);

}  // namespace tlsrig::report::html
