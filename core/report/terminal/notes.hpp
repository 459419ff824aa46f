// What stands below the cells of a terminal report.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// Versions, files with build-ids, build.
std::string backends_text(const Result& result, const TextOptions& options);

// Machine, seed, command line.
std::string run_text(const Result& result, const TextOptions& options);

// What the words and numbers above mean; only what this result shows.
std::string reading_text(const Result& result, const TextOptions& options);

// What to know before using a number; what the conclusions say is not said here.
std::string warnings_text(const Result& result, const TextOptions& options);

// A sentence per arm and what the twins show, the marks of an unfinished or quick run before them.
std::string conclusions_text(const Result& result, const TextOptions& options);

// How many arms ended how, and whether the run came to its end.
std::string outcome_text(const Result& result, const TextOptions& options);

}  // namespace tlsrig::report
