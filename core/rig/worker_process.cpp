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
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::rig {

namespace {

constexpr int worker_control_fd = 3;
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

pid_t spawn_worker(int control_fd, int output_fd, const Interruption& interruption) {
  SpawnPlan plan;
  check(::posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, output_fd, 1), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, output_fd, 2), "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&plan.actions, control_fd, worker_control_fd), "posix_spawn");
  check(::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK), "posix_spawn");
  check(::posix_spawnattr_setpgroup(&plan.attributes, 0), "posix_spawn");
  check(::posix_spawnattr_setsigmask(&plan.attributes, &interruption.original_mask()), "posix_spawn");
  std::string name = "tlsrig", command = "worker";
  std::array<char*, 3> arguments{name.data(), command.data(), nullptr};
  pid_t pid = -1;
  check(::posix_spawn(&pid, "/proc/self/exe", &plan.actions, &plan.attributes, arguments.data(), environ),
        "cannot start a worker process");
  return pid;
}

}  // namespace

WorkerProcess::WorkerProcess(std::string role, const Interruption& interruption)
    : role_(std::move(role)), channel_(-1) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make the control socket of a worker");
  channel_ = Channel(pair[0]);
  // A memory file, not a pipe: a worker that prints without end is not held up, and nothing has to drain it.
  output_fd_ = ::memfd_create("worker-output", MFD_CLOEXEC);
  if (output_fd_ >= 0) ::fcntl(output_fd_, F_SETFL, O_APPEND);
  try {
    if (output_fd_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    pid_ = spawn_worker(pair[1], output_fd_, interruption);
  } catch (...) {
    ::close(pair[0]);
    ::close(pair[1]);
    if (output_fd_ >= 0) ::close(output_fd_);
    throw;
  }
  ::close(pair[1]);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : role_(std::move(other.role_)),
      step_(std::move(other.step_)),
      pid_(std::exchange(other.pid_, -1)),
      output_fd_(std::exchange(other.output_fd_, -1)),
      channel_(std::exchange(other.channel_, Channel(-1))) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // should it have left its group
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (channel_.fd() >= 0) ::close(channel_.fd());
  if (output_fd_ >= 0) ::close(output_fd_);
}

void WorkerProcess::ask(Json request) {
  step_ = request.at("do").get<std::string>();
  channel_.send(request);  // a worker that is gone is seen at its answer
}

std::optional<StepFailure> WorkerProcess::take_answer(Json& answer, std::int64_t deadline_ns, double seconds) {
  switch (channel_.receive(answer, deadline_ns)) {
    case Received::message:
      break;
    case Received::ended:
      return ended_early();
    case Received::late:
      return give_up(seconds);
  }
  if (answer.contains("done")) return std::nullopt;
  const std::string reason = answer.value("reason", "no reason given");
  if (answer.contains("unsupported")) return StepFailure{StepFailure::Cause::unsupported, "unsupported", reason};
  return StepFailure{StepFailure::Cause::answered, answer.value("kind", "other"),
                     fmt::format("{} in step {}: {}", role_, step_, reason)};
}

StepFailure WorkerProcess::ended_early() {
  if (const auto status = wait_status(measure::now_ns() + second_ns)) return ended_with(*status);
  return {StepFailure::Cause::ended, "exit",
          fmt::format("the {}'s worker closed its control socket in step {}", role_, step_)};
}

StepFailure WorkerProcess::ended_with(int status) const {
  StepFailure failure{StepFailure::Cause::ended, "crash", ""};
  if (WIFSIGNALED(status)) {
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

StepFailure WorkerProcess::give_up(double seconds) {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  }
  return {StepFailure::Cause::late, "hang",
          fmt::format("the {}'s worker did not end step {} within {:.0f} s: killed", role_, step_, seconds)};
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

namespace {

// How long the others may take to show their own failure once one has failed: a crash at one end is often first seen
// at the other as a connection that ended.
constexpr std::int64_t others_grace_ns = 300'000'000;

void read_answers(const std::vector<WorkerProcess*>& workers, const std::vector<pollfd>& waiting,
                  const std::vector<std::size_t>& pending, std::int64_t deadline_ns, double seconds,
                  std::vector<Answer>& answers) {
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (!waiting[i].revents && !workers[pending[i]]->holds_answer()) continue;
    Answer& answer = answers[pending[i]];
    answer.failure = workers[pending[i]]->take_answer(answer.message, deadline_ns, seconds);
    answer.answered = true;
  }
}

}  // namespace

std::vector<Answer> await(const std::vector<WorkerProcess*>& workers, std::size_t required, std::int64_t deadline_ns,
                          double seconds, Interruption& interruption) {
  std::vector<Answer> answers(workers.size());
  const auto answered = [](const Answer& answer) { return answer.answered; };
  const auto failed = [](const Answer& answer) { return answer.failure.has_value(); };
  const auto last_required = answers.begin() + static_cast<std::ptrdiff_t>(required);
  bool any_failed = false;
  while (any_failed || !std::all_of(answers.begin(), last_required, answered)) {
    interruption.check();
    std::vector<pollfd> waiting;
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (answers[i].answered) continue;
      waiting.push_back({workers[i]->fd(), POLLIN, 0});
      pending.push_back(i);
    }
    const std::int64_t left_ns = deadline_ns - measure::now_ns();
    if (pending.empty() || left_ns <= 0) break;
    waiting.push_back({interruption.fd(), POLLIN, 0});
    const bool held = std::any_of(pending.begin(), pending.end(), [&](auto i) { return workers[i]->holds_answer(); });
    ::poll(waiting.data(), waiting.size(), held ? 0 : static_cast<int>(left_ns / 1'000'000 + 1));
    read_answers(workers, waiting, pending, deadline_ns, seconds, answers);
    if (!any_failed && std::any_of(answers.begin(), answers.end(), failed)) {
      any_failed = true;
      deadline_ns = std::min(deadline_ns, measure::now_ns() + others_grace_ns);
    }
  }
  for (std::size_t i = 0; i < required && !any_failed; ++i)
    if (!answers[i].answered) answers[i].failure = workers[i]->give_up(seconds);
  return answers;
}

}  // namespace tlsrig::rig
