// Where sets of certificates are kept: whole or not at all, one maker at a time.
#include "cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <tlsrig/credentials/credentials.hpp>

#include "issue.hpp"

namespace tlsrig::credentials {

namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_file = "manifest";
constexpr const char* manifest_head = "tlsrig-credentials 2";  // raised when the certificates are to look otherwise
constexpr const char* set_files[] = {server_chain_file, server_key_file, client_chain_file, client_key_file,
                                     trust_file};
constexpr std::int64_t seconds_per_day = 86400;
constexpr std::chrono::seconds longest_wait{120};

[[noreturn]] void fail(std::string_view what, const fs::path& path, int error) {
  throw CredentialsError(fmt::format(
      "cannot {} {}: {}; test certificates are kept there: set TLSRIG_CACHE_DIR to a directory that can be written",
      what, path.string(), std::strerror(error)));
}

// FNV-1a: finds damage, not forgery. Whoever can write here owns the keys anyway.
std::uint64_t checksum(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

bool read_whole(const fs::path& path, std::string& bytes) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return false;
  bytes.assign(std::istreambuf_iterator<char>(stream), {});
  return !stream.bad();
}

// Only its owner may see a private thing.
bool has_mode(const fs::path& path, mode_t type, mode_t mode) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type && (status.st_mode & 07777) == mode &&
         status.st_uid == ::geteuid();
}

std::string manifest_line(const char* name, const std::string& bytes) {
  return fmt::format("{} {} {:016x}\n", name, bytes.size(), checksum(bytes));
}

// The manifest of a directory's files as they are now; empty when one is missing, empty or open to others.
std::string manifest_of(const fs::path& set, std::int64_t not_before, std::int64_t not_after) {
  std::string manifest = fmt::format("{}\nvalid {} {}\n", manifest_head, not_before, not_after);
  for (const char* name : set_files) {
    std::string bytes;
    if (!has_mode(set / name, S_IFREG, 0600) || !read_whole(set / name, bytes) || bytes.empty()) return {};
    manifest += manifest_line(name, bytes);
  }
  return manifest;
}

bool usable(const fs::path& set) {
  std::string manifest;
  if (!has_mode(set, S_IFDIR, 0700) || !read_whole(set / manifest_file, manifest)) return false;
  std::istringstream lines(manifest);
  std::string head, word;
  std::int64_t not_before = 0, not_after = 0;
  if (!std::getline(lines, head) || head != manifest_head) return false;
  if (!(lines >> word >> not_before >> not_after)) return false;
  const std::int64_t now = std::time(nullptr);
  return now >= not_before && now < not_after - seconds_per_day && manifest == manifest_of(set, not_before, not_after);
}

// With errno when it is none. fs::is_directory throws where the way there is closed to this user.
bool leads_to_directory(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  if (!S_ISDIR(status.st_mode)) errno = ENOTDIR;
  return S_ISDIR(status.st_mode);
}

// Makes it with its parents. What is made here is its owner's alone, even where the umask would take that away.
void make_cache_directory(const fs::path& cache) {
  for (fs::path built; const fs::path& part : cache) {
    built /= part;
    if (::mkdir(built.c_str(), 0700) == 0) {
      if (::chmod(built.c_str(), 0700) != 0) fail("set the mode of", built, errno);
    } else if (const int error = errno; error != EEXIST && !leads_to_directory(built)) {
      fail("make the directory", built, error);
    }
  }
  if (!leads_to_directory(cache)) fail("use as a directory", cache, errno);
}

// Held by the one process that makes a set; the system gives it back when that process ends, however it ends.
class Lock {
 public:
  explicit Lock(const fs::path& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ < 0) fail("open the lock file", path, errno);
    const auto deadline = std::chrono::steady_clock::now() + longest_wait;
    while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const bool late = std::chrono::steady_clock::now() > deadline;
      if (error == EINTR || (error == EWOULDBLOCK && !late)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      ::close(fd_);
      if (late)
        throw CredentialsError(
            fmt::format("another process has held {} for {} s: it makes test certificates and does "
                        "not end; stop it (`fuser {}` names it) and try again",
                        path.string(), longest_wait.count(), path.string()));
      fail("lock", path, error);
    }
  }
  ~Lock() { ::close(fd_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

// A directory for one maker, gone with this object unless it was moved to its place.
class Workshop {
 public:
  explicit Workshop(const fs::path& prefix) : path_(prefix.string() + "XXXXXX") {
    if (!::mkdtemp(path_.data())) fail("make the directory", path_, errno);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  fs::path path() const { return path_; }

 private:
  std::string path_;
};

void remove_leftovers(const fs::path& cache, const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(cache, ignored))
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path(), ignored);
}

void seal(const fs::path& directory, std::int64_t not_before) {
  if (::chmod(directory.c_str(), 0700) != 0) fail("set the mode of", directory, errno);
  for (const char* name : set_files)
    if (::chmod((directory / name).c_str(), 0600) != 0) fail("set the mode of", directory / name, errno);
  const std::string manifest =
      manifest_of(directory, not_before, not_before + std::int64_t{lifetime_days} * seconds_per_day);
  if (manifest.empty())
    throw CredentialsError(fmt::format("the certificates just made in {} are not complete", directory.string()));
  std::ofstream stream(directory / manifest_file, std::ios::binary);
  stream << manifest;
  stream.close();
  if (!stream) fail("write", directory / manifest_file, errno);
}

// Why nothing more can be written into `directory`: an errno, 0 when there is room. Larger than any file of a set, and
// flushed, as some file systems find only then that they are full.
int lack_of_room(const fs::path& directory) {
  const fs::path probe = directory / "probe";
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  const std::string bytes(std::size_t{1} << 20, 'x');
  int error = 0;
  for (std::size_t done = 0; done < bytes.size() && error == 0;) {
    const ssize_t written = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  ::unlink(probe.c_str());
  return error;
}

std::string cure_for(int error) {
  const char* const elsewhere = "set TLSRIG_CACHE_DIR to a directory on another file system";
  if (error == EFBIG) return "raise the limit on the size of files (`ulimit -f`)";
  if (error == ENOSPC || error == EDQUOT) return fmt::format("free space there, or {}", elsewhere);
  return elsewhere;
}

// The openssl command prints nothing of use on a full disk (what it prints would go there too), so the disk is asked.
// Only after a failure: there may be less room than the probe takes, and enough.
void make_and_seal(const fs::path& cache, const fs::path& directory, const std::function<void(const fs::path&)>& make) {
  const std::int64_t not_before = std::time(nullptr);
  try {
    make(directory);
    seal(directory, not_before);
  } catch (const CredentialsError& failure) {
    const int error = lack_of_room(directory);
    if (error == 0) throw;
    throw CredentialsError(fmt::format("cannot write test certificates in {}: {}; {} (what failed: {})", cache.string(),
                                       std::strerror(error), cure_for(error), failure.what()));
  }
}

}  // namespace

fs::path kept_or_made(const fs::path& cache, const std::string& name,
                      const std::function<void(const fs::path&)>& make) {
  const fs::path set = cache / name;
  if (usable(set)) return set;

  make_cache_directory(cache);
  const Lock lock(cache / ("." + name + ".lock"));
  if (usable(set)) return set;

  const std::string prefix = "." + name + ".new-";
  remove_leftovers(cache, prefix);
  const Workshop fresh(cache / prefix), old(cache / prefix);
  make_and_seal(cache, fresh.path(), make);

  // A directory cannot be renamed over a full one. Between the two renames others find nothing and wait for the lock.
  if (::rename(set.c_str(), (old.path() / "set").c_str()) != 0 && errno != ENOENT) fail("move away", set, errno);
  if (::rename(fresh.path().c_str(), set.c_str()) != 0) fail("make", set, errno);
  return set;
}

}  // namespace tlsrig::credentials
