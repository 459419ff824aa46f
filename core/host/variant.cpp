// Another build of a plugin's library.
#include <tlsrig/host/variant.hpp>

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;

// What the plugin needs and this program does not: the C library and its like are no TLS library's.
std::vector<std::string> library_names(const ElfFile& file) {
  const LoadedFiles loaded;
  const std::vector<const LoadedFile*> shared = loaded.needed_by(*loaded.program());
  std::vector<std::string> names;
  for (const std::string_view needed : file.needed())
    if (std::ranges::none_of(shared, [&](const LoadedFile* other) { return other->soname == needed; }))
      names.emplace_back(needed);
  return names;
}

bool has_any(const fs::path& directory, const std::vector<std::string>& names) {
  std::error_code failed;
  return std::ranges::any_of(names, [&](const std::string& name) { return fs::exists(directory / name, failed); });
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

// The libraries that lie there under other names, as another version's would: what was probably meant.
std::string others_in(const fs::path& directory, const std::vector<std::string>& names) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> found;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string other = entry->path().filename().string();
    const auto alike = [&](const std::string& name) { return other.starts_with(name.substr(0, name.find(".so") + 3)); };
    if (std::ranges::any_of(names, alike)) found.push_back(other);
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), shown));
  return found.empty() ? "" : fmt::format("; it has {}", joined(found));
}

std::string cure_for_none(const fs::path& directory, const std::vector<std::string>& names) {
  for (const fs::path& above : {directory, directory / "lib"}) {
    std::error_code failed;
    for (fs::directory_iterator entry(above, failed), end; !failed && entry != end; entry.increment(failed))
      if (has_any(entry->path(), names)) return fmt::format("name {}", entry->path().string());
  }
  return fmt::format("name the directory with these files{}; a library with another soname needs a plugin built for it",
                     others_in(directory, names));
}

}  // namespace

void refuse_unfit_directory(const ElfFile& file, const fs::path& plugin, const fs::path& library_directory) {
  const auto refuse = [&](const std::string& words) { throw Refusal(fmt::format("{}: {}", plugin.string(), words)); };
  std::error_code failed;
  if (!fs::is_directory(library_directory, failed))
    refuse(fmt::format("the variant's directory {} {}", library_directory.string(),
                       fs::exists(library_directory, failed) ? "is no directory" : "does not exist"));
  const std::vector<std::string> names = library_names(file);
  if (names.empty())
    refuse("has its library linked in, or none at all, so it has no variants: link it with a shared one");
  if (!file.rpath().empty() && file.runpath().empty())
    refuse(
        fmt::format("its DT_RPATH ({}) goes before any other place, so it cannot run on the library in {}: relink it "
                    "with -Wl,--enable-new-dtags, which makes a RUNPATH of it",
                    file.rpath(), library_directory.string()));
  if (!has_any(library_directory, names))
    refuse(fmt::format("the variant's directory {} has no {}, which the plugin needs: {}", library_directory.string(),
                       joined(names), cure_for_none(library_directory, names)));
  for (const std::string& name : names) {
    if (!fs::exists(library_directory / name, failed)) continue;
    try {
      const ElfFile unloaded(library_directory / name);
    } catch (const ElfError& error) {
      refuse(fmt::format("{} {}", (library_directory / name).string(), error.what()));
    }
  }
}

bool comes_from(const LoadedFile& file, const fs::path& library_directory) {
  std::error_code failed;
  const fs::path directory = fs::weakly_canonical(library_directory, failed);
  if (std::ranges::mismatch(directory, file.path).in1 == directory.end()) return true;
  return fs::equivalent(directory / file.soname, file.path, failed);
}

std::string explain_stray(const LoadedFile& file, const fs::path& library_directory) {
  std::error_code failed;
  if (!fs::exists(library_directory / file.soname, failed))
    return fmt::format("{} has no {}: put it there too, the files of a library belong to one build",
                       library_directory.string(), file.soname);
  return "another place came first: the DT_RPATH of a library of this plugin, or LD_PRELOAD";
}

}  // namespace tlsrig::host
