// tlsrig: the test rig for TLS libraries.
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/rig/interruption.hpp>

int main(int argc, char** argv) {
  using namespace tlsrig::cli;
  std::signal(SIGPIPE, SIG_IGN);  // a reader of our output that went away is an ordinary write error

  CLI::App app("tlsrig: drives TLS libraries through the same scenarios and compares them in one report", "tlsrig");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("tlsrig ") + TLSRIG_VERSION);
  app.failure_message(CLI::FailureMessage::simple);

  Action action;
  add_run(app, action, std::vector<std::string>(argv, argv + argc));
  add_list(app, action);
  add_validate(app, action);
  add_worker(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_status::done : exit_status::unusable;
  }
  try {
    return action();
  } catch (const tlsrig::rig::Interrupted& interrupted) {
    return exit_status::by_signal(interrupted.signal);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tlsrig: {}\n", error.what());
    return exit_status::unusable;
  }
}
