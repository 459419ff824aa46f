// Reading /etc/ld.so.cache. Every number in it is taken for a lie until checked.
#include <tlsrig/host/loader_cache.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

namespace tlsrig::host {

namespace {

// The form since glibc 2.2 (sysdeps/generic/dl-cache.h there), which may stand behind a list in the form before. Names
// and paths are counted from the begin of this header.
constexpr std::string_view magic = "glibc-ld.so.cache1.1";

struct Header {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t strings_size;
  std::uint8_t byte_order;
  std::uint8_t unused[3];
  std::uint32_t extensions;
  std::uint32_t more_unused[3];
};

struct Record {
  std::int32_t flags;
  std::uint32_t name, path;
  std::uint32_t system_version;
  std::uint64_t processor;
};

static_assert(sizeof(Header) == 48 && sizeof(Record) == 24);

std::string string_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return {};
  return std::string(bytes.substr(offset, bytes.substr(offset).find('\0')));
}

}  // namespace

LoaderCache::LoaderCache(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  if (whole.empty()) return;
  const std::size_t begin = whole.find(magic);
  Header header;
  if (begin == std::string::npos || whole.size() - begin < sizeof header) {
    understood_ = false;
    return;
  }
  const std::string_view bytes = std::string_view(whole).substr(begin);
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t i = 0; i < header.entries; ++i) {
    Record record;
    const std::size_t offset = sizeof header + i * sizeof record;
    if (offset + sizeof record > bytes.size()) {
      understood_ = false;
      return;
    }
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    entries_.push_back({string_at(bytes, record.name), string_at(bytes, record.path)});
  }
}

std::vector<std::filesystem::path> LoaderCache::files_of(std::string_view name) const {
  std::vector<std::filesystem::path> files;
  for (const Entry& entry : entries_)
    if (entry.name == name && !entry.path.empty()) files.emplace_back(entry.path);
  return files;
}

std::vector<std::string> LoaderCache::names_with(std::string_view beginning) const {
  std::set<std::string> names;
  for (const Entry& entry : entries_)
    if (entry.name.starts_with(beginning)) names.insert(entry.name);
  return {names.begin(), names.end()};
}

}  // namespace tlsrig::host
