// Reading another process's threads from proc(5).
#include <tlsrig/measure/threads.hpp>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace tlsrig::measure {

namespace {

// In the order in which they were started. A thread, or the process, may go meanwhile.
std::vector<std::filesystem::path> threads_of(pid_t process) {
  std::vector<std::filesystem::path> threads;
  std::error_code gone;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(process) + "/task", gone), end;
  for (; !gone && thread != end; thread.increment(gone)) threads.push_back(thread->path());
  return threads;
}

}  // namespace

bool any_thread_runs(pid_t process) {
  for (const auto& thread : threads_of(process)) {
    std::ifstream stream(thread / "stat");
    std::string line;
    std::getline(stream, line);  // "NUMBER (NAME) STATE ...", and a name may have anything in it
    const auto end = line.rfind(')');
    if (end != std::string::npos && line.substr(end).starts_with(") R")) return true;
  }
  return false;
}

void signal_threads(pid_t process, int signal) {
  for (const auto& thread : threads_of(process)) ::tgkill(process, std::atoi(thread.filename().c_str()), signal);
}

std::int64_t process_cpu_ns(pid_t process) noexcept {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace tlsrig::measure
