// Where a step's work is done: a process that has loaded what the step asks for, once.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/check/bench/signals.hpp>
#include <tlsrig/check/step.hpp>
#include <tlsrig/check/trial/message.hpp>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::check {

class Workplace {
 public:
  // Made before anything is loaded.
  explicit Workplace(host::CallLog& log) : log_(&log), signals_(Signals::now()) {}

  // As they were before.
  const Signals& signals() const { return signals_; }

  // Loads and starts it at the first time. Throws host::Refusal.
  const host::Backend& backend(const std::filesystem::path& plugin) {
    auto found = backends_.find(plugin);
    if (found == backends_.end()) found = backends_.emplace(plugin, host::Backend::load(plugin, {}, log_)).first;
    return found->second;
  }

 private:
  host::CallLog* log_;
  Signals signals_;
  std::map<std::filesystem::path, host::Backend> backends_;
};

}  // namespace tlsrig::check
