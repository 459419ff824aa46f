// Runs the program under test as a user would, and looks at what it left.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "temporary.hpp"

namespace tlsrig::tests {

struct Ended {
  int status = 0;  // exit status; 128 + n when killed by signal n
  std::string out, err;
};

// A program that was started and not yet waited for.
class Running {
 public:
  // Starts TLSRIG_PROGRAM with these arguments in a directory; environment: NAME=VALUE over the test's own.
  Running(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
          const std::vector<std::string>& environment = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t pid() const { return pid_; }

  // Processes that it started and that still live.
  std::vector<pid_t> children() const;

  // Waits for its end, at most `seconds`; then it is killed and the test fails.
  Ended wait(double seconds);

 private:
  pid_t pid_ = -1;
  std::filesystem::path out_, err_;
};

Ended run_program(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                  const std::vector<std::string>& environment = {}, double seconds = 120);

// A directory for one test, empty at first, gone with it.
class Scratch : public TemporaryDirectory {
 public:
  // Writes a file into it and gives its path.
  std::string file(const std::string& name, const std::string& text) const;
};

std::string read_file(const std::filesystem::path& file);
nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace tlsrig::tests
