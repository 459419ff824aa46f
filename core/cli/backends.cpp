#include <tlsrig/cli/backends.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/host/search.hpp>

namespace tlsrig::cli {

const std::vector<std::string>& shipped_backends() {
  static const std::vector<std::string> names{"openssl", "boringssl", "wolfssl", "plaintcp"};
  return names;
}

scenario::KnownBackends Located::known() const {
  scenario::KnownBackends known{shipped_backends()};
  for (const auto& [name, source] : plugins)
    if (std::find(known.names.begin(), known.names.end(), name) == known.names.end()) known.names.push_back(name);
  return known;
}

Located locate_backends(const std::vector<std::string>& arguments) {
  Located located;
  try {
    const auto search = host::search_plugins({arguments.begin(), arguments.end()});
    for (const auto& candidate : search.candidates) {
      located.plugins[candidate.name] = {candidate.path.string(), ""};
      if (candidate.origin == host::PluginOrigin::argument) located.named.insert(candidate.name);
    }
    for (const auto& file : search.passed_over) {
      const bool concerns = file.path.extension() == ".so" && located.plugins.contains(file.path.stem().string());
      located.notes.push_back({fmt::format("{}: {}", file.path.string(), file.why), concerns});
    }
    located.looked_in = host::places_looked_in(search);
  } catch (const host::Refusal& refusal) {
    throw Unusable(refusal.what());
  }
  return located;
}

rig::InspectedBackend inspect_backend(const std::string& name, const Located& located,
                                      rig::Interruption& interruption) {
  if (const auto found = located.plugins.find(name); found != located.plugins.end())
    return rig::inspect(name, found->second, interruption);
  rig::InspectedBackend missing;
  missing.name = name;
  missing.reason = fmt::format("not installed (looked in {})", located.looked_in);
  return missing;
}

}  // namespace tlsrig::cli
