// What test_conformance and test_interop have in common: `--name value` arguments, plugins that may not have been
// built, and the way out.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/check/tally.hpp>

namespace tlsrig::tests {

constexpr int exit_not_built = 77;  // what ctest counts as skipped

using Arguments = std::map<std::string, std::string>;

// argv[first] on. Throws std::runtime_error when one of `needed` is missing.
inline Arguments parsed(int argc, char** argv, int first, const std::vector<std::string>& needed) {
  Arguments arguments;
  for (int i = first; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  for (const std::string& name : needed)
    if (!arguments.count(name)) throw std::runtime_error(name + " is missing");
  return arguments;
}

// Throws std::runtime_error for a word that stands for nothing.
inline std::uint32_t one_of(const Arguments& arguments, const std::string& name,
                            const std::map<std::string, std::uint32_t>& values) {
  const auto found = values.find(arguments.at(name));
  if (found == values.end()) throw std::runtime_error(fmt::format("{} {} is unknown", name, arguments.at(name)));
  return found->second;
}

inline std::uint32_t transport_of(const Arguments& arguments) {
  return one_of(arguments, "--transport", {{"wire", TLSRIG_WIRE}, {"fd", TLSRIG_FD}});
}

inline std::filesystem::path file_of(const Arguments& arguments, const std::string& backend) {
  return std::filesystem::path(arguments.at("--plugins")) / (backend + ".so");
}

// The tally of the file that --tally names, if any.
inline check::Tally tally_of(const Arguments& arguments) {
  return arguments.count("--tally") ? check::Tally(arguments.at("--tally")) : check::Tally();
}

// Whether a backend was built; says so in the tally when it was not.
inline bool is_built(const Arguments& arguments, const std::string& backend, check::Tally& tally) {
  const std::filesystem::path file = file_of(arguments, backend);
  if (exists(file)) return true;
  tally.add("all", {check::Verdict::skip, fmt::format("{} was not built", file.string())});
  return false;
}

// Runs the test as main does, and gives its exit status: that of `run`, 1 for an exception.
template <class Run>
int run_as_main(const char* program, Run&& run) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run();
  } catch (const std::exception& exception) {
    fmt::print(stderr, "{}: {}\n", program, exception.what());
    return 1;
  }
}

}  // namespace tlsrig::tests
