// Where a backend's code comes from, and how a worker is told to load it.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/channel.hpp>

namespace tlsrig::rig {

struct PluginSource {
  std::string path;
  std::string library_directory;           // of a variant: where its library's files must lie; empty otherwise
  std::string plugin;                      // of a variant: the plugin's own name; empty otherwise
  std::vector<report::LibraryFile> files;  // what it ran on when it was inspected; empty: not known yet
};

// The step "load" for a worker that needs these, in this order.
Json load_request(const std::vector<PluginSource>& sources);

// The sources of such a request.
std::vector<PluginSource> sources_of(const Json& request);

// Where the loader of a process with these is to look first, separated by colons; empty: nowhere in particular. It
// reads this (LD_LIBRARY_PATH) when the process starts, and never again.
std::string library_path(const std::vector<PluginSource>& sources);

// Why one process cannot hold both: two builds of one library have the same names, and the first that is loaded serves
// both. Empty: it can.
std::string exclude_each_other(const PluginSource& left, const PluginSource& right);

}  // namespace tlsrig::rig
