// Reading the load.
#include <tlsrig/cli/load_warning.hpp>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace tlsrig::cli {

std::string load_warning(std::string_view loadavg, unsigned processors) {
  std::istringstream fields{std::string(loadavg)};
  double minute = 0, five = 0, fifteen = 0;
  long running = 0;
  if (!(fields >> minute >> five >> fifteen >> running)) return {};
  const long others = std::max(0L, running - 1);
  if (minute <= processors && others <= static_cast<long>(processors)) return {};
  return fmt::format(
      "the machine is busy: load average {:.1f} over the last minute, {} other process{} running now, {} processor{}; "
      "all arms suffer alike, but intervals get wider and less can be told apart",
      minute, others, others == 1 ? "" : "es", processors, processors == 1 ? "" : "s");
}

std::string load_warning() {
  std::ifstream stream("/proc/loadavg");
  std::string line;
  std::getline(stream, line);
  return load_warning(line, static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))));
}

}  // namespace tlsrig::cli
