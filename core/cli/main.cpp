// tlsrig: the test rig for TLS libraries.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/environment.hpp>
#include <tlsrig/cli/hint.hpp>
#include <tlsrig/rig/interruption.hpp>

namespace {

// With a closed standard descriptor the first file or socket that is opened would take its place, and what is printed
// would go there. What takes its place here cannot be written to, so that a closed standard output is noticed.
void keep_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::dup(fd)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

void complain(const char* what) noexcept {
  std::fprintf(stderr, "tlsrig: %s\n", what);  // never throws: there may be nobody to read it
}

// The status, or another in the place of 0 when what was asked for could not be printed. A reader that has gone away
// has seen what it wanted.
int printed(int status) {
  if (std::fflush(stdout) != 0) {
    if (errno == EPIPE) return status;
    complain(("standard output cannot be written: " + std::generic_category().message(errno)).c_str());
  } else if (std::ferror(stdout) == 0) {  // set by what was printed before: print() has told of it
    return status;
  }
  return status == tlsrig::cli::exit_status::done ? tlsrig::cli::exit_status::incomplete : status;
}

// Whether warnings are not wanted: with -q, and in a worker, whose parent has given them.
bool quiet(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    const CLI::Option* option = command->get_option_no_throw("--quiet");
    if (command->get_name() == "worker" || (option != nullptr && option->as<bool>())) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tlsrig::cli;
  keep_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader of our output that went away is an ordinary write error
  std::signal(SIGCHLD, SIG_DFL);  // a parent that had it ignored would hide from us how workers ended
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow further

  CLI::App app("tlsrig: drives TLS libraries through the same scenarios and compares them in one report", "tlsrig");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("tlsrig ") + TLSRIG_VERSION);
  app.failure_message(CLI::FailureMessage::simple);

  Action action;
  CommandLine command_line{{argv, argv + argc}, {}};
  add_run(app, action, command_line);
  add_report(app, action);
  add_list(app, action);
  add_validate(app, action);
  add_compare(app, action);
  add_check(app, action);
  add_worker(app, action);

  name_variables(app);
  try {
    parse(app, command_line);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error) == 0 ? exit_status::done : exit_status::unusable;
    if (status != exit_status::done)
      if (const std::string hint = command_hint(app, command_line.arguments); !hint.empty()) complain(hint.c_str());
    return printed(status);
  } catch (const Unusable& error) {
    complain(error.what());
    return exit_status::unusable;
  }
  if (!quiet(app))
    for (const auto& line : unknown_variables(app)) complain(("warning: " + line).c_str());
  try {
    return printed(action());
  } catch (const tlsrig::rig::Interrupted& interrupted) {
    return exit_status::by_signal(interrupted.signal);
  } catch (const std::exception& error) {
    complain(error.what());
    for (const auto& setting : command_line.variables)
      if (!setting.flag.empty())
        complain((setting.flag + " comes from " + setting.variable + "=" + setting.value).c_str());
    return exit_status::unusable;
  }
}
