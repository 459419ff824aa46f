// What the tests of loading share: fixtures by name, copies of them, an environment for a while.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <tlsrig/host/backend.hpp>

#include "support/temporary.hpp"

namespace host_tests {

namespace fs = std::filesystem;
using tlsrig::tests::TemporaryDirectory;
using tlsrig::tests::Variable;

inline fs::path fixture(const std::string& name) { return fs::path(HOST_FIXTURES) / (name + ".so"); }

inline fs::path write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

// The traces that a fixture leaves when code of it runs.
inline void forget_traces() {
  for (const char* trace : {"CONSTRUCTED", "STARTED", "DESTROYED", "CLOSED"})
    ::unsetenv((std::string("TLSRIG_FIXTURE_") + trace).c_str());
}
inline bool has_trace(const char* trace) { return std::getenv((std::string("TLSRIG_FIXTURE_") + trace).c_str()); }

// The words with which a plugin is refused; empty when it was taken.
inline std::string refusal_of(const fs::path& plugin, const fs::path& library_directory = {}) {
  forget_traces();
  try {
    tlsrig::host::Backend::load(plugin, library_directory);
    return {};
  } catch (const tlsrig::host::Refusal& refusal) {
    return refusal.what();
  }
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What a command prints to its stdout.
inline std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("popen " + command);
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  ::pclose(pipe);
  return text;
}

}  // namespace host_tests
