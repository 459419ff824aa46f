// The lines that a run of steps prints, and its count.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

class Tally {
 public:
  Tally() = default;

  // Writes the same lines to a file as well, for whoever puts the tallies of many runs into one table. Its directory is
  // made when it is missing. Throws std::runtime_error when it cannot be written.
  explicit Tally(const std::filesystem::path& file);

  // Prints "PASS name: words" to stdout at once, so that a crash leaves the lines before it.
  void add(const std::string& name, const Outcome& outcome);

  // Prints "summary: 31 pass, 0 fail, 4 skip" and the names of what failed and what was skipped. In the file it is the
  // sign that the run came to its end.
  void print_summary();

  // A warning is a failure too: what runs the steps this way has backends of its own to be strict with.
  bool failed() const { return !failures_.empty(); }

 private:
  void print(std::string_view text);

  std::ofstream file_;  // closed: none
  std::size_t passes_ = 0;
  std::vector<std::string> failures_, skips_;
};

}  // namespace tlsrig::check
