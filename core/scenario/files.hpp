// Files that a scenario names.
#pragma once

#include <filesystem>
#include <string>

namespace tlsrig::scenario {

// Why the file cannot be read or has nothing in it: "is a directory". Empty when it can be read. What it holds is not
// judged. Never blocks: what is no regular file is not opened.
std::string file_fault(const std::filesystem::path& file);

}  // namespace tlsrig::scenario
