// Writing the result file: whole or not at all, whatever the disk says.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include <tlsrig/report/file/file.hpp>
#include <tlsrig/report/model.hpp>

#include "report_sample.hpp"
#include "support/small_file_system.hpp"
#include "support/temporary.hpp"

namespace fs = std::filesystem;
namespace report = tlsrig::report;

namespace {

class Scratch : public tlsrig::tests::TemporaryDirectory {
 public:
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(path()), fs::directory_iterator()); }
};

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

mode_t mode(const fs::path& file) {
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

// The error of an attempt that has to fail.
template <typename Function>
std::system_error failure_of(Function attempt) {
  try {
    attempt();
  } catch (const std::system_error& error) {
    return error;
  }
  FAIL("no std::system_error was thrown");
  std::abort();
}

// While alive, no file of this process grows beyond so many bytes, and the attempt is an errno instead of a signal.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// Root is not bound by permissions: while alive, a process of root's acts as nobody, who owns the directory.
class AsOrdinaryUser {
 public:
  explicit AsOrdinaryUser(const fs::path& directory) {
    constexpr uid_t nobody = 65534;
    was_root_ = ::geteuid() == 0 && ::chown(directory.c_str(), nobody, nobody) == 0 && ::seteuid(nobody) == 0;
  }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
  ~AsOrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_ = false;
};

}  // namespace

TEST_CASE("a new file and a replaced one") {
  const Scratch scratch;
  const fs::path file = scratch / "result.json";
  report::write_file_atomically(file, "first");
  CHECK(content(file) == "first");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(mode(file) == (0666 & ~mask));
  report::write_file_atomically(file, "second, longer");
  CHECK(content(file) == "second, longer");
  CHECK(scratch.entries() == 1);

  report::write_atomically(file, sample::result());
  CHECK(content(file) == report::to_json_text(sample::result()));
}

TEST_CASE("the mode of a replaced file stays") {
  const Scratch scratch;
  const fs::path file = scratch / "private.json";
  report::write_file_atomically(file, "first");
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  report::write_file_atomically(file, "second");
  CHECK(mode(file) == 0600);
}

TEST_CASE("a symbolic link is followed, not replaced") {
  const Scratch scratch;
  const fs::path file = scratch / "real.json", link = scratch / "latest.json";
  report::write_file_atomically(file, "first");
  fs::create_symlink("real.json", link);
  report::write_file_atomically(link, "second");
  CHECK(fs::is_symlink(link));
  CHECK(content(file) == "second");
}

TEST_CASE("a link to a file that is not there yet makes that file") {
  const Scratch scratch;
  const fs::path target = scratch / "target.json", link = scratch / "link.json";
  fs::create_symlink("target.json", link);
  CHECK(report::final_place(link) == fs::weakly_canonical(target));
  report::write_file_atomically(link, "new");
  CHECK(fs::is_symlink(link));
  CHECK(content(target) == "new");
  fs::create_symlink("loop", scratch / "loop");
  CHECK_THROWS_AS(report::write_file_atomically(scratch / "loop", "new"), std::system_error);
}

TEST_CASE("a full disk leaves the old report and no temporary file") {
  const Scratch scratch;
  const fs::path file = scratch / "result.json";
  report::write_file_atomically(file, "old report");
  std::optional<std::system_error> error;
  {
    const FileSizeLimit limit(4096);
    error = failure_of([&] { report::write_file_atomically(file, std::string(100'000, 'x')); });
  }
  CHECK(error->code() == std::errc::file_too_large);
  CHECK(error->what() ==
        "cannot write " + file.string() + " (raise the limit on the size of files, `ulimit -f`): File too large");
  CHECK(content(file) == "old report");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a disk without a free block, and a limit below one, are found before the measuring") {
  const Scratch scratch;
  const fs::path file = scratch / "result.json";
  {
    const FileSizeLimit limit(1024);
    CHECK(failure_of([&] { report::require_writable(file); }).code() == std::errc::file_too_large);
  }
  CHECK(scratch.entries() == 0);

  const auto words = test_support::on_small_file_system(scratch / ".", "64k", [&] {
    report::require_writable(file);
    test_support::fill(scratch / ".");
    std::string said = failure_of([&] { report::require_writable(file); }).what();
    if (scratch.entries() != 1) said += ", and something was left";
    return said;
  });
  if (words)
    CHECK(*words == "cannot write " + file.string() + ": No space left on device");
  else
    MESSAGE("a full disk is not judged: this process may not mount a file system");
}

TEST_CASE("devices are written to, never replaced") {
  const auto error = failure_of([] { report::write_file_atomically("/dev/full", "text"); });
  CHECK(error.code() == std::errc::no_space_on_device);
  CHECK(std::string(error.what()) == "cannot write /dev/full: No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
  report::write_file_atomically("/dev/null", "text");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a descriptor's name goes on where the file ends, an ordinary file under /dev is replaced") {
  const Scratch scratch;
  const fs::path file = scratch / "printed";
  report::write_file_atomically(file, "before ");
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(fd >= 0);
  report::write_file_atomically("/dev/fd/" + std::to_string(fd), "report ");
  CHECK(::write(fd, "after", 5) == 5);
  ::close(fd);
  CHECK(content(file) == "before report after");

  if (!fs::is_directory("/dev/shm")) return;
  const fs::path shared = "/dev/shm/tlsrig-report-" + std::to_string(::getpid());
  report::write_file_atomically(shared, "first");
  report::write_file_atomically(shared, "second");
  CHECK(content(shared) == "second");
  fs::remove(shared);
}

TEST_CASE("places that cannot be written to, before and at writing") {
  const Scratch scratch;
  const fs::path file = scratch / "file";
  report::write_file_atomically(file, "text");
  const fs::path no_parent = scratch / "missing/result.json", inside_file = file / "result.json",
                 directory = scratch / ".";
  for (const auto& attempt :
       {&report::require_writable, +[](const fs::path& path) { report::write_file_atomically(path, "text"); }}) {
    const auto missing = failure_of([&] { attempt(no_parent); });
    CHECK(missing.code() == std::errc::no_such_file_or_directory);
    CHECK(std::string(missing.what()) == "cannot write " + no_parent.string() + " (make the directory " +
                                             no_parent.parent_path().string() + " first): No such file or directory");
    CHECK(failure_of([&] { attempt(inside_file); }).code() == std::errc::not_a_directory);
    CHECK(failure_of([&] { attempt(directory); }).code() == std::errc::is_a_directory);
    CHECK(failure_of([&] { attempt(""); }).code() == std::errc::no_such_file_or_directory);
    CHECK(failure_of([&] { attempt(scratch / std::string(300, 'n').c_str()); }).code() == std::errc::filename_too_long);
  }
  report::require_writable(scratch / "result.json");
  report::require_writable(file);
  CHECK(content(file) == "text");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a file or directory that its owner made read-only") {
  const Scratch scratch;
  const AsOrdinaryUser user(scratch / ".");
  if (::geteuid() == 0) {
    MESSAGE("not judged: permissions do not bind root, and this process may not become another user");
    return;
  }
  const fs::path file = scratch / "kept.json";
  report::write_file_atomically(file, "kept");
  REQUIRE(::chmod(file.c_str(), 0444) == 0);
  CHECK(failure_of([&] { report::write_file_atomically(file, "text"); }).code() == std::errc::permission_denied);
  CHECK(content(file) == "kept");
  REQUIRE(::chmod((scratch / ".").c_str(), 0555) == 0);
  CHECK(failure_of([&] { report::require_writable(scratch / "new.json"); }).code() == std::errc::permission_denied);
  REQUIRE(::chmod((scratch / ".").c_str(), 0755) == 0);
}

TEST_CASE("a reader sees a whole file at any moment") {
  const Scratch scratch;
  const fs::path file = scratch / "result.json";
  const std::string first(200'000, 'a'), second(150'000, 'b');
  report::write_file_atomically(file, first);
  std::atomic<bool> stop{false};
  std::atomic<int> reads{0}, torn{0};
  std::thread reader([&] {
    while (!stop) {
      const std::string seen = content(file);
      if (seen != first && seen != second) ++torn;
      ++reads;
    }
  });
  for (int round = 0; round < 40 || reads < 20; ++round)
    report::write_file_atomically(file, round % 2 ? first : second);
  stop = true;
  reader.join();
  CHECK(torn == 0);
}
