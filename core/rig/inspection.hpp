// What is known of a backend before anything is measured: found in a worker of its own, since loading a plugin runs
// its code.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/arm_life.hpp>
#include <tlsrig/rig/interruption.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::rig {

struct InspectedBackend {
  enum class State { ready, refused, missing } state = State::missing;
  std::string name;
  PluginSource source;
  std::string reason;            // refused or missing: why
  report::BackendRecord record;  // ready: what it is
  std::uint32_t protocols = 0, transports = 0;
  std::vector<std::string> ciphers, groups, extensions;

  bool plain() const { return protocols == 0; }
};

// Loads and starts a plugin in a worker and asks what it is. `name`: what scenarios call it: its file's stem, or a
// variant's name; a plugin that gives itself another name than its file is refused. Throws Interrupted.
InspectedBackend inspect(const std::string& name, const PluginSource& source, Interruption& interruption);

// The same in this process, where the backend then stays.
InspectedBackend inspect_here(const std::string& name, const PluginSource& source, LoadedBackends& loaded);

// Why a side of an arm cannot be played by this backend with these settings, in words; empty: it can, as far as the
// backend tells. TLS 1.3 suites are not judged: a backend that cannot choose among them may still negotiate the asked
// one, and only the handshake shows it.
std::string unsupported_reason(const InspectedBackend& backend, const scenario::TlsSettings& tls,
                               scenario::Transport transport);

}  // namespace tlsrig::rig
