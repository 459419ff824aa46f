// Loading a plugin, step by step: what a step finds wrong is refused before the next one runs more of the plugin.
#include <tlsrig/host/backend.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <exception>

#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>
#include <tlsrig/host/extensions.hpp>
#include <tlsrig/host/failure.hpp>
#include <tlsrig/host/fault_watch.hpp>
#include <tlsrig/host/identity.hpp>
#include <tlsrig/host/loaded_files.hpp>
#include <tlsrig/host/plugin_file.hpp>
#include <tlsrig/host/variant.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;

bool contains(const char* const* names, std::string_view wanted) {
  for (; names && *names; ++names)
    if (wanted == *names) return true;
  return false;
}

// Symbols are bound at once, so that a missing one is found here and not in a measurement, and stay local, so that
// libraries with the same names live side by side. No RTLD_DEEPBIND: it breaks preloaded allocators and sanitizers.
std::shared_ptr<boost::dll::shared_library> open_library(const fs::path& path, const fs::path& plugin,
                                                         const ElfFile& file, CallLog* log) {
  const LoadingMark mark(plugin);
  std::error_code failed;
  std::shared_ptr<boost::dll::shared_library> library;
  {
    LoggedCall call(log, {"load"});
    library = std::make_shared<boost::dll::shared_library>(
        path, failed, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (!failed) call.ends(TLSRIG_OK);
  }
  if (failed) {
    const char* const words = ::dlerror();
    throw Refusal(explain_load_failure(file, plugin, words ? words : failed.message()));
  }
  // Unloading would run the exit handlers of TLS libraries at a moment they do not expect, and take away code that
  // their threads and thread-local data still refer to. The handle is never closed, whatever becomes of the Backend.
  ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
  return library;
}

std::string escaped_from_start(const fs::path& plugin, std::string_view words) {
  return fmt::format("{}: an exception left start: {}; a backend catches it and answers ERROR with a text",
                     plugin.string(), words);
}

const tlsrig_info* start(const tlsrig_backend& table, const fs::path& plugin, CallLog* log) {
  const tlsrig_info* info = nullptr;
  tlsrig_error error = no_error();
  tlsrig_result result = TLSRIG_ERROR;
  try {
    result = LoggedCall(log, {"start"}).ends(table.start(&info, &error));
  } catch (const std::exception& exception) {
    throw Refusal(escaped_from_start(plugin, exception.what()));
  } catch (...) {
    throw Refusal(escaped_from_start(plugin, "it is not a std::exception"));
  }
  if (result == TLSRIG_ERROR || result == TLSRIG_UNSUPPORTED)
    throw Refusal(fmt::format("{}: start failed: {}", plugin.string(), error_words(error)));
  if (result != TLSRIG_OK)
    throw Refusal(fmt::format("{}: start answered {}; OK, ERROR or UNSUPPORTED is allowed", plugin.string(), result));
  if (const std::string fault = fault_of(info); !fault.empty())
    throw Refusal(fmt::format("{}: {}", plugin.string(), fault));
  return info;
}

std::vector<std::string> find_warnings(const tlsrig_info& info, const ElfFile& file) {
  std::vector<std::string> warnings;
  if (std::string_view(info.build).find("hardware AES: no") != std::string_view::npos)
    warnings.emplace_back(
        "this build has no hardware AES: its AES figures are far below those of the same library built with it");
  if (const char* const preload = std::getenv("LD_PRELOAD"); preload && *preload)
    warnings.push_back(
        fmt::format("LD_PRELOAD is set ({}): functions of these files come before the libraries' own", preload));
  if (std::string words = explain_exports(file); !words.empty()) warnings.push_back(std::move(words));
  return warnings;
}

}  // namespace

Backend Backend::load(const fs::path& plugin, const fs::path& library_directory, CallLog* log) {
  const ElfFile file = examine(plugin);
  if (!library_directory.empty()) refuse_unfit_directory(file, plugin, library_directory);
  Backend backend;
  backend.path_ = fs::canonical(plugin);
  backend.log_ = log;

  const auto library = open_library(backend.path_, plugin, file, log);
  backend.table_ = {library, &library->get<const tlsrig_backend>(entry_name)};
  if (const std::string fault = fault_of(*backend.table_); !fault.empty())
    throw Refusal(fmt::format("{}: {}", plugin.string(), fault));
  const LoadedFiles loaded;
  const LoadedFile& own = *loaded.find(backend.table_.get());
  refuse_strangers(loaded, own);
  watch_functions(loaded, own, file, slots_of(*backend.table_));

  backend.info_ = start(*backend.table_, plugin, log);
  backend.files_ = files_of_anchors(*backend.table_, *backend.info_, plugin, library_directory);
  for (const OfferedExtension& extension : offered_extensions(*backend.table_, plugin)) {
    watch_functions(loaded, own, file, extension.functions);
    backend.extensions_.push_back(extension.name);
  }
  backend.warnings_ = find_warnings(*backend.info_, file);
  return backend;
}

bool Backend::has_cipher(std::string_view iana_name) const { return contains(info_->ciphers, iana_name); }
bool Backend::has_group(std::string_view iana_name) const { return contains(info_->groups, iana_name); }

}  // namespace tlsrig::host
