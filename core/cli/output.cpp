// Choosing and trying the places that results go to.
#include <tlsrig/cli/output.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/report/file/file.hpp>

namespace tlsrig::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw Unusable(fmt::format("cannot write results to {}: {}; give another place with -o", path.string(), reason));
}

}  // namespace

fs::path make_result_directory(const std::optional<std::string>& asked, const std::string& name) {
  std::error_code error;
  fs::path directory;
  if (asked) {
    directory = *asked;
    fs::create_directories(directory, error);
    if (error) refuse(directory, error.message());
    if (!fs::is_directory(directory)) refuse(directory, "it is a file, a directory is needed");
  } else {
    fs::create_directories("results", error);
    if (error) refuse("results", error.message());
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string stem = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(now), name);
    bool made = false;
    for (int number = 1; !made && number <= 100; ++number) {
      directory = fs::path("results") / (number == 1 ? stem : fmt::format("{}-{}", stem, number));
      made = fs::create_directory(directory, error);
      if (error) refuse(directory, error.message());
    }
    if (!made) refuse(directory, "there are a hundred of that name");
  }
  report::require_writable(directory / "result.json");
  return directory;
}

void add_colour_option(CLI::App& command, std::string& when) {
  command.add_option("--color", when, "Colour: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

bool use_colour(const std::string& when, int descriptor) {
  if (when != "auto") return when == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(descriptor) && !(no_colour && *no_colour);
}

unsigned columns(int descriptor) {
  winsize size{};
  if (::isatty(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 120;
}

bool print(const std::string& text) {
  const auto written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written == text.size() && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) {  // a reader that has gone away has seen what it wanted
    std::clearerr(stdout);
    return true;
  }
  std::fprintf(stderr, "tlsrig: standard output cannot be written: %s\n", std::strerror(errno));
  return false;
}

}  // namespace tlsrig::cli
