// Reading result files: the inverse of to_json (model.hpp). A file comes from elsewhere: everything in it is looked at,
// and what does not fit is said with its place.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// what(): "FILE: reason"; a fault inside has its place, what was found and what is needed:
// "before.json: cells[3].arms[1].blocks[0].seconds: found \"x\", a number is needed".
struct UnreadableResult : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads a result of schema 1 from a file, a pipe, or standard input ("-"). Keys that are not known are passed over: a
// newer version may have more. Every id that something refers to exists, and none stands twice; lengths and nesting are
// bounded; whether the numbers agree with each other is another question (judge/consistency.hpp). Throws
// UnreadableResult and nothing else but std::bad_alloc.
Result read_result(const std::filesystem::path& file);

// The same for a document that is at hand; what() has no file before the place.
Result result_from_json(const Json& json);

}  // namespace tlsrig::report
