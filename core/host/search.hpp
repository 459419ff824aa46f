// Where plugins are looked for. Files are read, never loaded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::host {

// A -B argument, TLSRIG_BACKEND_PATH, or the directory beside the program.
enum class PluginOrigin { argument, environment, beside };

struct PluginCandidate {
  std::string name;  // of the file, without .so
  std::filesystem::path path;
  PluginOrigin origin = PluginOrigin::beside;
};

// A file that was passed over, or a place that could not be looked into.
struct PassedOver {
  enum class Kind {
    other,     // nobody meant it as a plugin
    unusable,  // its name ends in .so, and it is no plugin of this tlsrig
    second,    // a plugin, but another one of its name comes first
    place,     // a directory that could not be looked into
  };
  std::filesystem::path path;
  std::string why;
  Kind kind = Kind::other;
  bool is_plugin = false;  // unusable, second: its own content says that it was meant as one

  std::string name() const { return path.stem().string(); }
};

struct PluginSearch {
  std::vector<PluginCandidate> candidates;  // by name; of two with one name the one from the place looked in first
  std::vector<PassedOver> passed_over;
  std::vector<std::filesystem::path> looked_in;  // directories and files, in the order of the search
  const PluginCandidate* find(std::string_view name) const;
};

// Looks in the -B arguments (files or directories), then in TLSRIG_BACKEND_PATH (separated by colons), then beside the
// program: in ../lib/tlsrig from where it lies, which fits the build tree and an installation alike.
// Whatever else lies in a directory is passed over; nothing is waited for, whatever it is.
// Throws Refusal for an argument that does not exist or a named file that is no plugin, and for two files of one name
// among the arguments.
PluginSearch search_plugins(const std::vector<std::filesystem::path>& arguments);

// "a, b": the places looked in, for "not installed (looked in ...)".
std::string places_looked_in(const PluginSearch& search);

}  // namespace tlsrig::host
