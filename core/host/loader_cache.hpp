// The loader's own list of libraries, /etc/ld.so.cache, as ldconfig writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::host {

class LoaderCache {
 public:
  // A file that is missing or cannot be read is empty, as it is to the loader. Throws nothing.
  explicit LoaderCache(const std::filesystem::path& file = "/etc/ld.so.cache");

  // False when the file has a form that is not known here: then nothing can be said of what is not found.
  bool understood() const { return understood_; }

  // The files of that name, for whatever machine and processor, in the order of the cache.
  std::vector<std::filesystem::path> files_of(std::string_view name) const;

  // The names that begin with `beginning`, each once, sorted.
  std::vector<std::string> names_with(std::string_view beginning) const;

 private:
  struct Entry {
    std::string name, path;
  };
  std::vector<Entry> entries_;
  bool understood_ = true;
};

}  // namespace tlsrig::host
