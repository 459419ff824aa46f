// What is judged of a plugin from its files alone, before anything of it runs: its constructors would run in dlopen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

struct FileStep {
  std::string name;  // "undefined-symbols"
  std::string law;   // what the contract says, in a sentence
  Outcome (*run)(const std::filesystem::path& plugin);
  std::string cure;       // what the backend's writer is to do when it does not pass, in a sentence
  bool decisive = false;  // when it fails, the plugin cannot be loaded
};

// In order. Each stands alone: where an earlier one has failed, those that need it answer SKIP with the reason. None
// throws, loads a file or waits. They judge what this process would load: LD_LIBRARY_PATH and LD_PRELOAD count.
const std::vector<FileStep>& file_steps();

}  // namespace tlsrig::check
