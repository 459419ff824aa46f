// Judging a plugin by the contract: its file, then loading and starting it, then every conformance step over all that
// it offers, then conversations with other backends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlsrig/check/trial/crew.hpp>

namespace tlsrig::check {

struct CheckOptions {
  std::filesystem::path plugin;
  std::vector<Peer> peers;  // other backends
  std::vector<std::string>
      steps;  // by name, short or whole ("load", "pieces-of-1", "pieces-of-1/wire/1.3"); empty: all
  std::uint64_t seed = 1;
  bool in_process = false;
  Limits limits;
  double seconds_max = 120;  // of the whole check
};

struct CheckProgress {
  std::size_t done = 0, count = 0;  // of what is known to come
  std::string latest;               // name of the step that is done
};

// A step's name that stands for nothing: what() is the name.
struct UnknownStep : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Short names of all steps but those with a peer, in their order.
std::vector<std::string> step_names();

// Whether a name of --step stands for this finding.
bool stands_for(const std::string& name, const Finding& finding);

// Runs in a process that has loaded no plugin and has one thread. Throws UnknownStep before anything runs,
// credentials::CredentialsError when certificates cannot be made, std::system_error when no process can be had.
Judged check_plugin(const CheckOptions& options, const std::function<void(const CheckProgress&)>& progress);

}  // namespace tlsrig::check
