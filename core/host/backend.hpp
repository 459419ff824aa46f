// A backend: a plugin that was loaded, found fit and started.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/host/call_log.hpp>

namespace tlsrig::host {

// A plugin that was not taken: names the file, what was found, what was needed, and the cure.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file whose code a backend runs, found by the address of one of its anchors.
struct LibraryFile {
  std::filesystem::path path;
  std::string build_id;  // hexadecimal; empty when the file has none
};

class Backend {
 public:
  // Loads a plugin and calls its start. Throws Refusal. Call from one thread. The plugin is never unloaded.
  // library_directory: where a variant's library files must lie (LD_LIBRARY_PATH names it since this process started);
  // empty: anywhere. log: told of the calls of loading ("load", "start") and of contexts; outlives the backend.
  static Backend load(const std::filesystem::path& plugin, const std::filesystem::path& library_directory = {},
                      CallLog* log = nullptr);

  const tlsrig_backend& table() const { return *table_; }
  const tlsrig_info& info() const { return *info_; }
  std::string_view name() const { return info_->name; }
  const std::filesystem::path& path() const { return path_; }
  const std::vector<LibraryFile>& files() const { return files_; }

  // Things a reader of its numbers must know, such as a build without hardware AES.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Those that this host knows and the backend has: "resumption", "keylog", "pending".
  const std::vector<std::string>& extensions() const { return extensions_; }

  // nullptr: nobody wants to know.
  CallLog* log() const { return log_; }

  bool plain() const { return info_->protocols == 0; }
  bool has_cipher(std::string_view iana_name) const;
  bool has_group(std::string_view iana_name) const;

  // The table of an extension, nullptr when absent: extension<tlsrig_pending>(TLSRIG_PENDING).
  template <class Table>
  const Table* extension(const char* id) const {
    return static_cast<const Table*>(table_->extension(id));
  }

 private:
  Backend() = default;
  std::filesystem::path path_;
  std::shared_ptr<const tlsrig_backend> table_;
  const tlsrig_info* info_ = nullptr;
  CallLog* log_ = nullptr;
  std::vector<LibraryFile> files_;
  std::vector<std::string> warnings_, extensions_;
};

}  // namespace tlsrig::host
