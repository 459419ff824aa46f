// Reading another process's threads from proc(5).
#include <tlsrig/measure/threads.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace tlsrig::measure {

bool any_thread_runs(pid_t process) {
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
    std::ifstream stream(thread.path() / "stat");
    std::string line;
    std::getline(stream, line);  // "NUMBER (NAME) STATE ...", and a name may have anything in it
    const auto end = line.rfind(')');
    if (end != std::string::npos && line.substr(end).starts_with(") R")) return true;
  }
  return false;
}

std::int64_t process_cpu_ns(pid_t process) noexcept {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace tlsrig::measure
