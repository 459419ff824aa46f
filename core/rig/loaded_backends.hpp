// The backends that a process has loaded, each once: a plugin is started once per process, however many roles it plays.
#pragma once

#include <list>
#include <mutex>

#include <tlsrig/host/backend.hpp>
#include <tlsrig/rig/plugin_source.hpp>

namespace tlsrig::rig {

class LoadedBackends {
 public:
  // The backend of the source, loaded now or before; it lives as long as this. Callable from any thread. Throws
  // host::Refusal: also when its library's files are not those that the source was inspected with.
  const host::Backend& load(const PluginSource& source);

 private:
  struct Loaded {
    PluginSource source;
    host::Backend backend;
  };
  std::mutex mutex_;
  std::list<Loaded> loaded_;  // a list: references into it stay good
};

}  // namespace tlsrig::rig
