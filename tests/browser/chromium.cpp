// Starting Chromium.
#include "chromium.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/program.hpp"

namespace tlsrig::tests {

namespace fs = std::filesystem;

namespace {

constexpr const char* program = "/usr/bin/chromium";
constexpr std::chrono::seconds longest{30};

// In a process group of its own: Chromium is many processes.
pid_t started(std::vector<std::string> command, const fs::path& out, const fs::path& err) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program, &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error) throw std::runtime_error(std::string("cannot start ") + program + ", errno " + std::to_string(error));
  return pid;
}

// Exit status; 128 + n after signal n.
int ended(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      throw std::runtime_error(std::string(program) + " did not end within 30 s");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// What it printed to standard output.
std::string run(const fs::path& directory, const std::vector<std::string>& options, const fs::path& page) {
  if (!fs::exists(program))
    throw std::runtime_error(std::string(program) +
                             " not found: install the Debian package chromium "
                             "(scripts/test --browser does)");
  const TemporaryDirectory profile;
  std::vector<std::string> command{program,
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-quic",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--hide-scrollbars",
                                   "--user-data-dir=" + profile.path().string()};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back("file://" + fs::absolute(page).string());
  const fs::path out = directory / "chromium.out", err = directory / "chromium.err";
  if (const int status = ended(started(std::move(command), out, err)); status != 0)
    throw std::runtime_error(std::string(program) + " ended with status " + std::to_string(status) + ":\n" +
                             read_file(err));
  return read_file(out);
}

std::string scheme_option(Scheme scheme) {
  return std::string("--blink-settings=preferredColorScheme=") + (scheme == Scheme::dark ? "0" : "1");
}

}  // namespace

Chromium::Chromium(fs::path directory) : directory_(std::move(directory)) {}

std::string Chromium::dumped(const fs::path& page, Scheme scheme) const {
  return run(directory_, {scheme_option(scheme), "--virtual-time-budget=5000", "--window-size=1400,1000", "--dump-dom"},
             page);
}

void Chromium::shoot(const fs::path& page, Scheme scheme, int width, int height, const fs::path& picture) const {
  run(directory_,
      {scheme_option(scheme), "--window-size=" + std::to_string(width) + "," + std::to_string(height),
       "--screenshot=" + picture.string()},
      page);
}

void Chromium::print(const fs::path& page, const fs::path& pdf) const {
  run(directory_, {"--no-pdf-header-footer", "--print-to-pdf=" + pdf.string()}, page);
}

}  // namespace tlsrig::tests
