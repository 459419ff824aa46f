// Where plugins are looked for. Files are read, never loaded.
#include <tlsrig/host/search.hpp>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/plugin_file.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;

// Adds what is found to one search, place by place.
class Seeker {
 public:
  explicit Seeker(PluginSearch& search) : search_(search) {}

  void named_file(const fs::path& path, PluginOrigin origin) {
    search_.looked_in.push_back(path);
    examine(path);
    add(path, origin);
  }

  // Whether it holds any plugin.
  bool directory(const fs::path& path, PluginOrigin origin) {
    search_.looked_in.push_back(path);
    std::error_code failed;
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed))
      entries.push_back(entry->path());
    if (failed) search_.passed_over.push_back({path, "cannot be looked into: " + failed.message(), Kind::place});
    std::ranges::sort(entries);  // the same order on every file system
    bool any = false;
    for (const fs::path& entry : entries) any |= look_at(entry, origin);
    return any;
  }

 private:
  using Kind = PassedOver::Kind;

  bool look_at(const fs::path& path, PluginOrigin origin) {
    if (path.extension() != ".so") {
      std::error_code failed;
      search_.passed_over.push_back({path, fs::is_directory(path, failed) ? "is a directory, which is not looked into"
                                                                          : "its name does not end in .so"});
      return false;
    }
    try {
      examine(path);
    } catch (const Refusal& refusal) {
      search_.passed_over.push_back({path, refusal.what(), Kind::unusable, is_meant_as_plugin(path)});
      return false;
    }
    add(path, origin);
    return true;
  }

  void add(const fs::path& path, PluginOrigin origin) {
    const std::string name = path.stem().string();
    const PluginCandidate* const known = search_.find(name);
    if (!known) {
      search_.candidates.push_back({name, path, origin});
      return;
    }
    std::error_code failed;
    if (fs::equivalent(known->path, path, failed)) return;
    if (origin == PluginOrigin::argument)
      throw Refusal(fmt::format("-B gives two plugins of the name {}: {} and {}; name one of them", name,
                                known->path.string(), path.string()));
    search_.passed_over.push_back({path, fmt::format("{} comes first", known->path.string()), Kind::second, true});
  }

  PluginSearch& search_;
};

// What was found in the directory in place of plugins.
std::string why_none(const PluginSearch& search, std::size_t first) {
  constexpr std::size_t shown = 8;
  std::string why;
  std::size_t files = 0, others = 0;
  for (std::size_t i = first; i < search.passed_over.size(); ++i) {
    const PassedOver& passed = search.passed_over[i];
    if (passed.kind == PassedOver::Kind::place) return fmt::format("it {}", passed.why);
    if (passed.kind == PassedOver::Kind::other)
      ++others;
    else if (++files <= shown)
      why += "\n  " + passed.why;
  }
  if (files > shown) why += fmt::format("\n  and {} more", files - shown);
  if (!files && others) why = fmt::format("; it has {} of other names", others);
  return fmt::format("no usable plugin is in this directory: needed are files NAME.so that export {}{}", entry_name,
                     why);
}

void look_at_argument(Seeker& seeker, const PluginSearch& search, const fs::path& argument) {
  std::error_code failed;
  if (!fs::is_directory(argument, failed))
    return seeker.named_file(argument, PluginOrigin::argument);  // what is wrong with it is said by its examination
  const std::size_t before = search.passed_over.size();
  if (!seeker.directory(argument, PluginOrigin::argument))
    throw Refusal(fmt::format("-B {}: {}", argument.string(), why_none(search, before)));
}

}  // namespace

const PluginCandidate* PluginSearch::find(std::string_view name) const {
  const auto found = std::ranges::find(candidates, name, &PluginCandidate::name);
  return found == candidates.end() ? nullptr : &*found;
}

PluginSearch search_plugins(const std::vector<fs::path>& arguments) {
  PluginSearch search;
  Seeker seeker(search);
  for (const fs::path& argument : arguments) look_at_argument(seeker, search, argument);

  const char* const variable = std::getenv("TLSRIG_BACKEND_PATH");
  for (std::string_view rest(variable ? variable : ""); !rest.empty();) {
    const std::string_view place = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), place.size() + 1));
    if (!place.empty()) seeker.directory(fs::path(place), PluginOrigin::environment);
  }

  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) seeker.directory(program.parent_path().parent_path() / "lib" / "tlsrig", PluginOrigin::beside);
  return search;
}

std::string places_looked_in(const PluginSearch& search) {
  std::string places;
  for (const fs::path& place : search.looked_in)
    places += fmt::format("{}{}", places.empty() ? "" : ", ", place.string());
  return places;
}

}  // namespace tlsrig::host
