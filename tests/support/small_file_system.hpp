// A file system of a few kilobytes that only the test sees, to be filled to its last byte.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

namespace test_support {

namespace small_file_system {

inline bool write_text(const char* path, const std::string& text) {
  std::ofstream stream(path);
  stream << text;
  stream.close();
  return !stream.fail();
}

// An ordinary user becomes root in a user namespace of its own, where the kernel allows it.
inline bool mount_on(const std::filesystem::path& directory, const std::string& size) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (user != 0 && (!write_text("/proc/self/setgroups", "deny") ||
                    !write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") ||
                    !write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1")))
    return false;
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", directory.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
}

}  // namespace small_file_system

// What `work` answers in a child process in which `directory` is a file system of `size` ("64k"). Nothing where this
// process may not mount.
inline std::optional<std::string> on_small_file_system(const std::filesystem::path& directory, const std::string& size,
                                                       const std::function<std::string()>& work) {
  constexpr int not_mounted = 77;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    if (!small_file_system::mount_on(directory, size)) ::_exit(not_mounted);
    std::string words;
    try {
      words = work();
    } catch (const std::exception& error) {
      words = std::string("thrown out of the test: ") + error.what();
    }
    ::_exit(::write(ends[1], words.data(), words.size()) == static_cast<ssize_t>(words.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string words;
  std::array<char, 1024> part{};
  for (ssize_t size_read = 0; (size_read = ::read(ends[0], part.data(), part.size())) > 0;)
    words.append(part.data(), static_cast<std::size_t>(size_read));
  ::close(ends[0]);
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) std::abort();
  if (WEXITSTATUS(status) == not_mounted) return std::nullopt;
  return WEXITSTATUS(status) == 0 ? words : "the child ended with status " + std::to_string(WEXITSTATUS(status));
}

// Writes into a file of `directory` until not a byte more can be written.
inline void fill(const std::filesystem::path& directory) {
  const int fd = ::open((directory / "filling").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::array<char, 1024> bytes{};
  while (::write(fd, bytes.data(), bytes.size()) > 0) continue;
  ::close(fd);
}

}  // namespace test_support
