// Reading what the system tells of itself.
#include <tlsrig/rig/machine.hpp>

#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <tlsrig/rig/copy_alias.hpp>

namespace tlsrig::rig {

namespace {

using Json = nlohmann::ordered_json;

Json first_line(const char* file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return nullptr;
  return line;
}

// A line "key : value" of /proc/cpuinfo or /proc/meminfo.
Json field(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return nullptr;
}

// Those of the processor's flags that decide how fast TLS can be here.
Json relevant_flags() {
  constexpr std::array<std::string_view, 9> relevant{"aes",     "pclmulqdq", "vaes", "vpclmulqdq", "avx2",
                                                     "avx512f", "sha_ni",    "bmi2", "adx"};
  const Json flags = field("/proc/cpuinfo", "flags");
  if (!flags.is_string()) return nullptr;
  Json found = Json::array();
  std::istringstream words(flags.get<std::string>());
  for (std::string word; words >> word;)
    for (const auto name : relevant)
      if (word == name) found.push_back(word);
  return found;
}

Json limit(__rlimit_resource resource) {
  rlimit value{};
  if (::getrlimit(resource, &value) != 0) return nullptr;
  const auto number = [](rlim_t bound) { return bound == RLIM_INFINITY ? Json("unlimited") : Json(bound); };
  return {{"soft", number(value.rlim_cur)}, {"hard", number(value.rlim_max)}};
}

}  // namespace

Json machine_record() {
  utsname system{};
  ::uname(&system);
  return {{"processor", field("/proc/cpuinfo", "model name")},
          {"processor_flags", relevant_flags()},
          {"processors", ::sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory", field("/proc/meminfo", "MemTotal")},
          {"kernel", std::string(system.sysname) + " " + system.release},
          {"architecture", system.machine},
          {"c_library", std::string("glibc ") + ::gnu_get_libc_version()},
          {"clock_source", first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource")},
          {"load", first_line("/proc/loadavg")},
          {"descriptors", limit(RLIMIT_NOFILE)},
          {"somaxconn", first_line("/proc/sys/net/core/somaxconn")},
          {"congestion_control_default", first_line("/proc/sys/net/ipv4/tcp_congestion_control")},
          {"congestion_control_available", first_line("/proc/sys/net/ipv4/tcp_available_congestion_control")},
          {"copy_alias", copy_alias_record()}};
}

}  // namespace tlsrig::rig
