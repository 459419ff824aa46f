// A plugin and its library directory as messages carry them.
#include <tlsrig/rig/plugin_source.hpp>

#include <fmt/format.h>

namespace tlsrig::rig {

Json load_request(const std::vector<PluginSource>& sources) {
  Json plugins = Json::array();
  for (const PluginSource& source : sources) {
    Json files = Json::array();
    for (const auto& file : source.files) files.push_back({{"path", file.path}, {"build_id", file.build_id}});
    plugins.push_back(
        {{"path", source.path}, {"library_directory", source.library_directory}, {"files", std::move(files)}});
  }
  return {{"do", "load"}, {"plugins", std::move(plugins)}};
}

std::vector<PluginSource> sources_of(const Json& request) {
  std::vector<PluginSource> sources;
  for (const Json& plugin : request.at("plugins")) {
    PluginSource source{plugin.at("path").get<std::string>(), plugin.value("library_directory", ""), "", {}};
    for (const Json& file : plugin.value("files", Json::array()))
      source.files.push_back({file.at("path").get<std::string>(), file.at("build_id").get<std::string>()});
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string library_path(const std::vector<PluginSource>& sources) {
  std::string path;
  for (const PluginSource& source : sources) {
    if (source.library_directory.empty()) continue;
    if (!path.empty()) path += ':';
    path += source.library_directory;
  }
  return path;
}

std::string exclude_each_other(const PluginSource& left, const PluginSource& right) {
  if (left.path != right.path || left.library_directory == right.library_directory) return {};
  const auto build = [](const PluginSource& source) {
    return source.library_directory.empty() ? "its usual place" : source.library_directory;
  };
  return fmt::format(
      "both sides share a process, which can hold one build of a library only: that of {} or that of {}, not both",
      build(left), build(right));
}

}  // namespace tlsrig::rig
