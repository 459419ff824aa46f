// Running one external command without a shell.
#include "command.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <tlsrig/credentials/credentials.hpp>

namespace tlsrig::credentials {

namespace {

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// A user's own OpenSSL configuration must not shape the certificates, and a TLS library preloaded to try a backend with
// must not replace the command's own.
std::vector<std::string> environment(const std::filesystem::path& openssl_conf) {
  std::vector<std::string> kept;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("OPENSSL_CONF=") && !text.starts_with("LD_PRELOAD=")) kept.emplace_back(text);
  }
  kept.push_back("OPENSSL_CONF=" + openssl_conf.string());
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  for (std::string& string : strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

std::string printed(const std::filesystem::path& log) {
  std::ifstream stream(log);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "it printed nothing" : "it printed: " + text;
}

[[noreturn]] void fail_to_start(const std::vector<std::string>& arguments, int error) {
  if (error == ENOENT) {
    const char* path = std::getenv("PATH");
    throw CredentialsError(
        fmt::format("the command `{0}` is not in PATH ({1}); it makes the test certificates: install the package `{0}`",
                    arguments.front(), path ? path : "not set"));
  }
  throw CredentialsError(fmt::format("cannot start `{}`: {}", as_typed(arguments), std::strerror(error)));
}

}  // namespace

std::string as_typed(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += argument.find(' ') == std::string::npos ? argument : "'" + argument + "'";
  }
  return line;
}

void run(const std::vector<std::string>& arguments, const std::filesystem::path& openssl_conf,
         const std::filesystem::path& log) {
  std::vector<std::string> argument_strings = arguments, environment_strings = environment(openssl_conf);
  std::vector<char*> argument_list = pointers(argument_strings), environment_list = pointers(environment_strings);

  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(actions.get(), STDOUT_FILENO, STDERR_FILENO);

  pid_t child = 0;
  const int refused =
      ::posix_spawnp(&child, argument_list[0], actions.get(), nullptr, argument_list.data(), environment_list.data());
  if (refused != 0) fail_to_start(arguments, refused);

  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw CredentialsError(fmt::format("cannot wait for `{}`: {}", as_typed(arguments), std::strerror(errno)));
  if (WIFSIGNALED(status))
    throw CredentialsError(
        fmt::format("`{}` was ended by signal {}; {}", as_typed(arguments), WTERMSIG(status), printed(log)));
  if (WEXITSTATUS(status) != 0)
    throw CredentialsError(
        fmt::format("`{}` failed with status {}; {}", as_typed(arguments), WEXITSTATUS(status), printed(log)));
}

}  // namespace tlsrig::credentials
