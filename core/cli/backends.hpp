// Which plugin stands for which backend name, and what each of them is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <tlsrig/rig/inspection.hpp>
#include <tlsrig/rig/interruption.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::cli {

// The backends that tlsrig ships: a scenario may name them where their plugin is not installed.
const std::vector<std::string>& shipped_backends();

// A file that was passed over, and why. It concerns a backend when it was meant as one: its name is a backend's, or its
// content says so. Then another file may stand in its place, or none.
struct Note {
  std::string text;
  bool concerns_backend = false;
  std::string name;  // that a backend in this file would have; empty when it cannot be one
};

// A file that is no plugin, and why.
struct UnusableFile {
  std::string file, why;
};

struct Located {
  std::map<std::string, rig::PluginSource> plugins;   // by backend name
  std::map<std::string, scenario::Variant> variants;  // by name
  std::set<std::string> named;                        // those that -B brought
  std::string looked_in;                              // the places, for messages
  std::map<std::string, UnusableFile> unusable;       // by name: where the only file is no plugin
  std::vector<Note> notes;                            // files passed over

  // Every name that a scenario may use.
  scenario::KnownBackends known() const;
};

// Looks for plugins in the places of `arguments` (-B: files or directories), then TLSRIG_BACKEND_PATH, then beside the
// program. Loads nothing. Throws Unusable for an argument that is no plugin, and for two of one name.
Located locate_backends(const std::vector<std::string>& arguments);

// "passed over: ..." for each note that is to be told: those that concern a backend or a name of `asked`, or with
// `verbose` all.
std::vector<std::string> notes_to_tell(const Located& located, bool verbose,
                                       const std::vector<std::string>& asked = {});

// The variants of all scenarios of a run, by name. Throws Unusable when two scenarios mean different ones by one name.
std::map<std::string, scenario::Variant> variants_of(const std::vector<scenario::ScenarioPlan>& plans);

// Inspects the plugin of one name: ready, refused, or missing with the places looked in. In a worker of its own; or,
// with in_process, in this process, where it then stays. A file that was found under the name and is no plugin is
// refused; a plugin that gives itself another one's name is refused with both paths.
rig::InspectedBackend inspect_backend(const std::string& name, const Located& located, rig::LoadedBackends* in_process,
                                      rig::Interruption& interruption);

}  // namespace tlsrig::cli
