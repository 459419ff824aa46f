// What the tests of reports share beside the sample: looking at lines, and reaching into cells.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/report/model.hpp>

#include "report_sample.hpp"

namespace sample {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The first line that begins like this; empty when there is none.
inline std::string line_with(const std::string& text, const std::string& beginning) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline report::Arm& arm_of(report::Cell& cell, const std::string& id) {
  return *std::find_if(cell.arms.begin(), cell.arms.end(), [&](const report::Arm& arm) { return arm.id == id; });
}

inline report::Comparison& comparison_of(report::Cell& cell, const std::string& arm) {
  return *std::find_if(cell.comparisons.begin(), cell.comparisons.end(),
                       [&](const report::Comparison& comparison) { return comparison.arm == arm; });
}

// The sample with these cells in place of its own.
inline report::Result result_of(std::vector<report::Cell> cells) {
  report::Result changed = result();
  changed.cells = std::move(cells);
  return changed;
}

inline report::Result one_cell(report::Cell cell) { return result_of({std::move(cell)}); }

// The terminal's form without colour.
inline std::string text_of(const report::Result& result, unsigned width = 120) {
  return report::to_text(result, {false, false, width});
}

}  // namespace sample
