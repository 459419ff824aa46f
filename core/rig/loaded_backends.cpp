// The backends of one process, each loaded and started once.
#include <tlsrig/rig/loaded_backends.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace tlsrig::rig {

namespace {

std::string text_of(const std::string& path, const std::string& build_id) {
  return build_id.empty() ? path : fmt::format("{} (build-id {})", path, build_id);
}

// A library may be replaced while a run goes on, and a directory that one side of a process needs comes first for the
// other side too: what is measured must be what the report names.
void require_inspected_files(const PluginSource& source, const host::Backend& backend) {
  if (source.files.empty()) return;
  const auto& files = backend.files();
  const std::size_t count = std::max(files.size(), source.files.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string now = i < files.size() ? text_of(files[i].path.string(), files[i].build_id) : "no file";
    const std::string before =
        i < source.files.size() ? text_of(source.files[i].path, source.files[i].build_id) : "no file";
    if (now == before) continue;
    throw host::Refusal(
        fmt::format("{}: its library came from {}, not from {} as when the run began: it was replaced meanwhile, or "
                    "another backend's directory comes first in this process",
                    source.path, now, before));
  }
}

}  // namespace

const host::Backend& LoadedBackends::load(const PluginSource& source) {
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(loaded_.begin(), loaded_.end(), [&](const Loaded& one) {
    return one.source.path == source.path && one.source.library_directory == source.library_directory;
  });
  if (found == loaded_.end()) {
    for (const Loaded& other : loaded_)
      if (const std::string reason = exclude_each_other(other.source, source); !reason.empty())
        throw host::Refusal(fmt::format("{}: {}", source.path, reason));
    loaded_.push_back({source, host::Backend::load(source.path, source.library_directory)});
    found = std::prev(loaded_.end());
  }
  require_inspected_files(source, found->backend);
  return found->backend;
}

}  // namespace tlsrig::rig
