// Where plugins are, and what each of them is.
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
      located.plugins[candidate.name] = {candidate.path.string(), "", "", {}};
      if (candidate.origin == host::PluginOrigin::argument) located.named.insert(candidate.name);
    }
    for (const auto& file : search.passed_over) {
      const bool concerns = file.path.extension() == ".so" && located.plugins.contains(file.path.stem().string());
      const std::string path = file.path.string() + ": ";  // a refusal names it already
      located.notes.push_back({file.why.starts_with(path) ? file.why : path + file.why, concerns});
    }
    located.looked_in = host::places_looked_in(search);
  } catch (const host::Refusal& refusal) {
    throw Unusable(refusal.what());
  }
  return located;
}

std::map<std::string, scenario::Variant> variants_of(const std::vector<scenario::ScenarioPlan>& plans) {
  std::map<std::string, scenario::Variant> variants;
  for (const auto& plan : plans) {
    for (const auto& variant : plan.variants) {
      const auto& known = variants.emplace(variant.name, variant).first->second;
      if (known.plugin == variant.plugin && known.library_directory == variant.library_directory) continue;
      throw Unusable(
          fmt::format("{}: its variant \"{}\" is {} in {}, another scenario's of that name {} in {}: rename "
                      "one of them",
                      plan.file.string(), variant.name, variant.plugin, variant.library_directory.string(),
                      known.plugin, known.library_directory.string()));
    }
  }
  return variants;
}

rig::InspectedBackend inspect_backend(const std::string& name, const Located& located, rig::LoadedBackends* in_process,
                                      rig::Interruption& interruption) {
  const auto variant = located.variants.find(name);
  const bool is_variant = variant != located.variants.end();
  const std::string& plugin = is_variant ? variant->second.plugin : name;
  if (const auto found = located.plugins.find(plugin); found != located.plugins.end()) {
    rig::PluginSource source = found->second;
    if (is_variant) {
      source.library_directory = variant->second.library_directory.string();
      source.plugin = plugin;
    }
    return in_process ? rig::inspect_here(name, source, *in_process) : rig::inspect(name, source, interruption);
  }
  rig::InspectedBackend missing;
  missing.name = name;
  if (is_variant) missing.source.plugin = plugin;
  missing.reason = fmt::format("{}not installed (looked in {})",
                               is_variant ? fmt::format("its plugin {} is ", plugin) : "", located.looked_in);
  return missing;
}

}  // namespace tlsrig::cli
