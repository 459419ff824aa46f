// From a file to JSON, or to words that say why not.
#pragma once

#include <filesystem>
#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// The whole file, or standard input for "-". Throws UnreadableResult without the file's name: what cannot be opened or
// read, what is too long, empty, compressed or binary.
std::string read_document_text(const std::filesystem::path& file);

// Throws UnreadableResult, without the file's name, for what is not JSON (it says what it looks like), is cut off,
// holds a number that no double holds, has a key twice, or is nested too deeply. The answer is safe for recursive
// functions.
Json parse_document(const std::string& text);

}  // namespace tlsrig::report
