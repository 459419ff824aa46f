// The extensions that this host knows, and which of them a backend has.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/host/fault_watch.hpp>

namespace tlsrig::host {

// An extension that a backend offers: its name ("resumption") and its functions ("resumption.take").
struct OfferedExtension {
  std::string name;
  std::vector<NamedFunction> functions;
};

// Asks the backend for every extension of this host; after start. Throws Refusal, naming `plugin`, for a table with an
// empty slot.
std::vector<OfferedExtension> offered_extensions(const tlsrig_backend& table, const std::filesystem::path& plugin);

}  // namespace tlsrig::host
