#include "program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tlsrig::tests {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    merged[text.substr(0, text.find('='))] = text;
  }
  for (const auto& text : extra) merged[text.substr(0, text.find('='))] = text;
  std::vector<std::string> environment;
  for (auto& [name, text] : merged) environment.push_back(text);
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Running::Running(const std::vector<std::string>& arguments, const fs::path& directory,
                 const std::vector<std::string>& environment)
    : out_(directory / "stdout"), err_(directory / "stderr") {
  std::vector<std::string> command{TLSRIG_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int error =
      posix_spawn(&pid_, TLSRIG_PROGRAM, &actions, nullptr, pointers(command).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::runtime_error("cannot start " TLSRIG_PROGRAM);
}

Running::~Running() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::vector<pid_t> Running::children() const {
  std::vector<pid_t> found;
  std::ifstream list("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
  for (pid_t child = 0; list >> child;) found.push_back(child);
  return found;
}

Ended Running::wait(double seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the program did not end in time");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pid_ = -1;
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_file(out_), read_file(err_)};
}

Ended run_program(const std::vector<std::string>& arguments, const fs::path& directory,
                  const std::vector<std::string>& environment, double seconds) {
  return Running(arguments, directory, environment).wait(seconds);
}

std::string Scratch::file(const std::string& name, const std::string& text) const {
  std::ofstream(path() / name, std::ios::binary) << text;
  return (path() / name).string();
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

nlohmann::json read_json(const fs::path& file) { return nlohmann::json::parse(read_file(file)); }

}  // namespace tlsrig::tests
