// Results that the command line names.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::cli {

// A run's directory stands for the result in it; "-" is standard input.
std::string result_file(const std::string& argument);

// Read, and found to agree with itself. Throws report::UnreadableResult with the file's name.
report::Result read_consistent(const std::string& file);

}  // namespace tlsrig::cli
