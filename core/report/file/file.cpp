// Atomic replacement of files, by hand on POSIX calls: std::ofstream tells neither the errno nor a failed flush.
#include <tlsrig/report/file/file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error, const fs::path& file) {
  std::string what = "cannot write " + file.string();
  const fs::path directory = file.parent_path();
  std::error_code ignored;
  if (error == ENOENT && !directory.empty() && !fs::exists(directory, ignored)) {
    what += " (make the directory " + directory.string() + " first)";
  }
  if (error == EFBIG) what += " (raise the limit on the size of files, `ulimit -f`)";
  throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // A network file system may tell of a full disk only here.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// A new file beside the one to be replaced; removed again unless it was renamed.
class TemporaryFile {
 public:
  TemporaryFile(const fs::path& directory, const fs::path& shown) : descriptor_(create(directory, shown)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  Descriptor& descriptor() { return descriptor_; }

  bool rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    path_.clear();
    return true;
  }

 private:
  // Not mkstemp: its mode 0600 would go over to the report, and the process's umask could only be read by setting it.
  Descriptor create(const fs::path& directory, const fs::path& shown) {
    constexpr int attempts = 100;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      path_ = directory / (".tlsrig-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp");
      const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return Descriptor(fd);
      if (errno != EEXIST) break;
    }
    const int error = errno;
    path_.clear();
    fail(error, shown);
  }

  fs::path path_;
  Descriptor descriptor_;
};

void write_all(int fd, std::string_view text, const fs::path& shown) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno, shown);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

struct Target {
  fs::path path;               // symbolic links resolved
  std::optional<mode_t> mode;  // of the file that is replaced
  bool in_place = false;       // not a file that can be replaced
};

Target resolve(const fs::path& file) {
  if (file.empty()) fail(ENOENT, file);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(errno, file);
    return {final_place(file), std::nullopt, false};
  }
  if (S_ISDIR(status.st_mode)) fail(EISDIR, file);
  // A rename would succeed where the owner forbade writing.
  if (::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0) fail(errno, file);
  // /dev/stdout led into a file is that file, but what is printed later goes on into the same one.
  const std::string name = file.string();
  const bool descriptor_name =
      name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
  if (!S_ISREG(status.st_mode) || descriptor_name) return {file, std::nullopt, true};
  std::error_code error;
  fs::path path = fs::canonical(file, error);
  if (error) fail(error.value(), file);
  return {std::move(path), status.st_mode & 07777, false};
}

Descriptor open_in_place(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) fail(errno, file);
  return Descriptor(fd);
}

}  // namespace

fs::path final_place(const fs::path& file) {
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code error;
  fs::path place = file;
  for (int link = 0; link < most_links && fs::is_symlink(fs::symlink_status(place, error)); ++link) {
    const fs::path target = fs::read_symlink(place, error);
    if (error) break;
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(place, error), error);
  return error ? place : whole;
}

void write_file_atomically(const fs::path& file, std::string_view text) {
  const Target target = resolve(file);
  if (target.in_place) {
    Descriptor descriptor = open_in_place(file);
    write_all(descriptor.get(), text, file);
    if (!descriptor.close()) fail(errno, file);
    return;
  }
  TemporaryFile temporary(target.path.parent_path(), file);
  if (target.mode && ::fchmod(temporary.descriptor().get(), *target.mode) != 0) fail(errno, file);
  write_all(temporary.descriptor().get(), text, file);
  if (::fsync(temporary.descriptor().get()) != 0) fail(errno, file);
  if (!temporary.descriptor().close()) fail(errno, file);
  if (!temporary.rename_to(target.path)) fail(errno, file);
}

void require_writable(const fs::path& file) {
  const Target target = resolve(file);
  if (target.in_place) return;  // not opened: that would wait for a pipe's reader
  TemporaryFile probe(target.path.parent_path(), file);
  // A file without content can be made on a disk without a free byte; some disks tell only when flushed.
  constexpr std::size_t block_size = 4096;
  write_all(probe.descriptor().get(), std::string(block_size, '\0'), file);
  if (::fsync(probe.descriptor().get()) != 0) fail(errno, file);
}

void write_atomically(const fs::path& file, const Result& result) { write_file_atomically(file, to_json_text(result)); }

}  // namespace tlsrig::report
