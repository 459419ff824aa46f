// A file's bytes, mapped for reading.
#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <tlsrig/host/elf.hpp>

namespace tlsrig::host {

namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

void refuse_irregular(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) throw ElfError("is a directory; a plugin is one file: name the .so in it");
  throw ElfError(fmt::format("is {}; a plugin is a shared library, a file NAME.so", kind_of(status.st_mode)));
}

[[noreturn]] void refuse_unreadable(const std::filesystem::path& path, int error) {
  std::error_code failed;
  if (const auto target = std::filesystem::read_symlink(path, failed); !failed && error == ENOENT)
    throw ElfError(fmt::format("is a link to {}, and there is no such file; build the plugin, or correct the link",
                               target.string()));
  if (error == ENOENT) throw ElfError("there is no such file; build the plugin, or correct the path");
  throw ElfError(fmt::format("cannot be read: {}; a plugin must be readable by who runs tlsrig", std::strerror(error)));
}

}  // namespace

std::shared_ptr<const std::byte> map_file(const std::filesystem::path& path, std::uint64_t& size) {
  // Looked at before it is opened: opening alone makes some devices do things. O_NONBLOCK and the second look are for
  // what may have come in its place meanwhile.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse_unreadable(path, errno);
  refuse_irregular(status);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) refuse_unreadable(path, errno);
  refuse_irregular(status);
  if (status.st_size == 0) throw ElfError("is empty (0 bytes); a plugin is a shared library: build or copy it again");
  size = static_cast<std::uint64_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (mapped == MAP_FAILED)
    throw ElfError(fmt::format(
        "cannot be mapped into memory: {}, so it could not be loaded either; copy it to another file system",
        std::strerror(errno)));
  return {static_cast<const std::byte*>(mapped),
          [length = size](const std::byte* bytes) { ::munmap(const_cast<std::byte*>(bytes), length); }};
}

}  // namespace tlsrig::host
