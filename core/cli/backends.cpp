// Where plugins are, and what each of them is.
#include <tlsrig/cli/backends.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/host/search.hpp>

namespace tlsrig::cli {

const std::vector<std::string>& shipped_backends() {
  static const std::vector<std::string> names{"openssl", "boringssl", "wolfssl", "gnutls", "plaintcp"};
  return names;
}

scenario::KnownBackends Located::known() const {
  scenario::KnownBackends known{shipped_backends()};
  for (const auto& [name, source] : plugins)
    if (std::find(known.names.begin(), known.names.end(), name) == known.names.end()) known.names.push_back(name);
  return known;
}

namespace {

void take_note(Located& located, const host::PassedOver& file) {
  using Kind = host::PassedOver::Kind;
  const std::string path = file.path.string() + ": ";  // a refusal names it already
  Note note{file.why.starts_with(path) ? file.why : path + file.why, false, {}};
  if (file.kind == Kind::unusable || file.kind == Kind::second) {
    note.name = file.name();
    const auto& shipped = shipped_backends();
    const bool replaced = located.plugins.contains(note.name);
    const bool listed = std::find(shipped.begin(), shipped.end(), note.name) != shipped.end();  // as refused, by itself
    note.concerns_backend = replaced || (file.is_plugin && !listed);
    if (!replaced) located.unusable.emplace(note.name, UnusableFile{file.path.string(), note.text});
  }
  located.notes.push_back(std::move(note));
}

// Files are told apart by their names, so that two plugins of one name show only when they are asked.
void explain_shared_name(rig::InspectedBackend& backend, const std::string& plugin, const Located& located) {
  if (backend.record.name.empty() || backend.record.name == plugin) return;
  const auto other = located.plugins.find(backend.record.name);
  if (other == located.plugins.end()) return;
  backend.reason = fmt::format(
      "{} calls itself \"{}\", and so does {}: two plugins have one name; name one of them, or move one away",
      backend.source.path, backend.record.name, other->second.path);
}

}  // namespace

Located locate_backends(const std::vector<std::string>& arguments) {
  Located located;
  try {
    const auto search = host::search_plugins({arguments.begin(), arguments.end()});
    for (const auto& candidate : search.candidates) {
      located.plugins[candidate.name] = {candidate.path.string(), "", "", {}};
      if (candidate.origin == host::PluginOrigin::argument) located.named.insert(candidate.name);
    }
    for (const auto& file : search.passed_over) take_note(located, file);
    located.looked_in = host::places_looked_in(search);
  } catch (const host::Refusal& refusal) {
    throw Unusable(refusal.what());
  }
  return located;
}

std::vector<std::string> notes_to_tell(const Located& located, bool verbose, const std::vector<std::string>& asked) {
  std::vector<std::string> lines;
  for (const auto& note : located.notes) {
    const bool named = !note.name.empty() && std::find(asked.begin(), asked.end(), note.name) != asked.end();
    if (verbose || note.concerns_backend || named) lines.push_back("passed over: " + note.text);
  }
  return lines;
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
    auto backend = in_process ? rig::inspect_here(name, source, *in_process) : rig::inspect(name, source, interruption);
    if (backend.state == rig::InspectedBackend::State::refused) explain_shared_name(backend, plugin, located);
    return backend;
  }
  rig::InspectedBackend missing;
  missing.name = name;
  if (is_variant) missing.source.plugin = plugin;
  if (const auto unusable = located.unusable.find(plugin); unusable != located.unusable.end()) {
    missing.state = rig::InspectedBackend::State::refused;
    missing.reason = unusable->second.why;
    return missing;
  }
  missing.reason = fmt::format("{}not installed (looked in {})",
                               is_variant ? fmt::format("its plugin {} is ", plugin) : "", located.looked_in);
  return missing;
}

}  // namespace tlsrig::cli
