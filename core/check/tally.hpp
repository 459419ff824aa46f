// The lines that a run of steps prints, and its count.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

class Tally {
 public:
  // Prints "PASS name: words" to stdout at once, so that a crash leaves the lines before it.
  void add(const std::string& name, const Outcome& outcome);

  // Prints "summary: 31 pass, 0 fail, 4 skip" and the names of what failed and what was skipped.
  void print_summary() const;

  bool failed() const { return !failures_.empty(); }

 private:
  std::size_t passes_ = 0;
  std::vector<std::string> failures_, skips_;
};

}  // namespace tlsrig::check
