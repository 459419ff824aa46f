// Starting this program anew, watching it, and ending it.
#include <tlsrig/rig/worker_process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/threads.hpp>

namespace tlsrig::rig {

namespace {

constexpr int worker_control_fd = 3;
constexpr int worker_fault_fd = 4;
constexpr std::int64_t second_ns = 1'000'000'000;

void check(int error, const char* what) {
  if (error) throw std::system_error(error, std::generic_category(), what);
}

// posix_spawn's two attribute objects, freed on every way out.
struct SpawnPlan {
  SpawnPlan() {
    check(::posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init");
    check(::posix_spawnattr_init(&attributes), "posix_spawnattr_init");
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

// This process's environment with a library path before its own.
std::vector<std::string> environment_with(const std::string& library_path) {
  constexpr std::string_view variable = "LD_LIBRARY_PATH=";
  std::vector<std::string> environment;
  std::string value = library_path;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (library_path.empty() || !text.starts_with(variable))
      environment.emplace_back(text);
    else if (text.size() > variable.size())
      value += ":" + std::string(text.substr(variable.size()));
  }
  if (!library_path.empty()) environment.push_back(std::string(variable) + value);
  return environment;
}

pid_t spawn_worker(int control_fd, int fault_fd, int output_fd, const std::string& library_path,
                   const Interruption& interruption) {
  SpawnPlan plan;
  check(::posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, output_fd, 1), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, output_fd, 2), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, control_fd, worker_control_fd), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, fault_fd, worker_fault_fd), "posix_spawn");
  check(::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK), "posix_spawn");
  check(::posix_spawnattr_setpgroup(&plan.attributes, 0), "posix_spawn");
  check(::posix_spawnattr_setsigmask(&plan.attributes, &interruption.original_mask()), "posix_spawn");
  std::string name = "tlsrig", command = "worker";
  std::array<char*, 3> arguments{name.data(), command.data(), nullptr};
  std::vector<std::string> environment = environment_with(library_path);
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  pid_t pid = -1;
  check(::posix_spawn(&pid, "/proc/self/exe", &plan.actions, &plan.attributes, arguments.data(), variables.data()),
        "cannot start a worker process");
  return pid;
}

}  // namespace

WorkerProcess::WorkerProcess(std::string role, const std::string& library_path, const Interruption& interruption)
    : WorkerProcess(std::move(role), library_path, interruption, control_sockets()) {}

WorkerProcess::WorkerProcess(std::string role, const std::string& library_path, const Interruption& interruption,
                             std::pair<int, int> sockets)
    : WorkerHandle(std::move(role), sockets.first) {
  // A memory file, not a pipe: a worker that prints without end is not held up, and nothing has to drain it.
  output_fd_ = ::memfd_create("worker-output", MFD_CLOEXEC);
  if (output_fd_ >= 0) ::fcntl(output_fd_, F_SETFL, O_APPEND);
  try {
    if (output_fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    pid_ = spawn_worker(sockets.second, fault_.fd(), output_fd_, library_path, interruption);
  } catch (...) {
    ::close(sockets.second);
    if (output_fd_ >= 0) ::close(output_fd_);
    throw;
  }
  ::close(sockets.second);
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // should it have left its group
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (output_fd_ >= 0) ::close(output_fd_);
}

StepFailure WorkerProcess::ended_early() {
  if (const auto status = wait_status(measure::now_ns() + second_ns)) return ended_with(*status);
  return {StepFailure::Cause::ended, "exit",
          fmt::format("the {}'s worker closed its control socket in step {}", role_, step_)};
}

StepFailure WorkerProcess::ended_with(int status) const {
  StepFailure failure{StepFailure::Cause::ended, "crash", ""};
  std::string meanwhile = fmt::format("step {}", step_);
  if (WIFEXITED(status) && fault_.report().cause == host::FaultReport::Cause::exit) {
    failure.kind = "exit";
    meanwhile += fmt::format(", exit status {}", WEXITSTATUS(status));
  }
  if (const std::string told = host::fault_words(fault_.report(), meanwhile); !told.empty()) {
    failure.reason = fmt::format("{}: {}", role_, told);
  } else if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    failure.reason = fmt::format("the {}'s worker was killed by SIG{} ({}) in step {}", role_, ::sigabbrev_np(signal),
                                 ::sigdescr_np(signal), step_);
  } else {
    failure.kind = "exit";
    failure.reason = fmt::format("the {}'s worker ended by exit({}) in step {}", role_, WEXITSTATUS(status), step_);
  }
  if (const std::string words = last_words(); !words.empty()) failure.reason += fmt::format("; it printed: {}", words);
  return failure;
}

// Asks every thread to report where it is; one that is in a plugin's code does. Tells whether the worker was at work or
// waiting. Not by its CPU time: on a machine with more to do than processors it may get none for a while.
const char* WorkerProcess::look() const {
  const bool busy = measure::any_thread_runs(pid_);
  measure::signal_threads(pid_, host::look_signal());
  const std::int64_t deadline_ns = measure::now_ns() + second_ns;
  while (!host::is_whole(fault_.report()) && measure::any_thread_runs(pid_) && measure::now_ns() < deadline_ns)
    measure::sleep_until_ns(measure::now_ns() + 10'000'000);
  return busy ? "busy" : "waiting";
}

StepFailure WorkerProcess::give_up(double seconds) {
  StepFailure failure{StepFailure::Cause::late, "hang", ""};
  const char* doing = "gone";
  if (pid_ > 0) {
    doing = look();
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  }
  const std::string meanwhile = fmt::format("step {}, {:.0f} s, {}", step_, seconds, doing);
  if (const std::string told = host::fault_words(fault_.report(), meanwhile); !told.empty()) {
    failure.cause = StepFailure::Cause::hung;
    failure.reason = fmt::format("{}: {}: killed", role_, told);
  } else {
    failure.reason =
        fmt::format("the {}'s worker did not end step {} within {:.0f} s ({}): killed", role_, step_, seconds, doing);
  }
  return failure;
}

std::optional<StepFailure> WorkerProcess::end() {
  ask({{"do", "end"}});
  const auto status = wait_status(measure::now_ns() + 10 * second_ns);
  if (!status) return give_up(10);
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return std::nullopt;
  return ended_with(*status);
}

std::optional<int> WorkerProcess::wait_status(std::int64_t deadline_ns) {
  for (;;) {
    int status = 0;
    const pid_t reaped = ::waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_) {
      ::kill(-pid_, SIGKILL);  // whatever it has left in its group
      pid_ = -1;
      return status;
    }
    if (measure::now_ns() >= deadline_ns) return std::nullopt;
    measure::sleep_until_ns(measure::now_ns() + 500'000);
  }
}

std::string WorkerProcess::last_words() const {
  constexpr off_t kept = 600;
  const off_t size = ::lseek(output_fd_, 0, SEEK_END);
  if (size <= 0) return {};
  std::string words(static_cast<std::size_t>(std::min(size, kept)), '\0');
  const ssize_t count = ::pread(output_fd_, words.data(), words.size(), std::max<off_t>(0, size - kept));
  words.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return size > kept ? "..." + words : words;
}

}  // namespace tlsrig::rig
