// Starting a step's process, watching it, and saying how it ended.
#include <tlsrig/check/trial/child.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/threads.hpp>

namespace tlsrig::check {

struct Child::Shared {
  host::FaultReport fault;
  CallRing calls;
  std::atomic<bool> unsent{false};  // the work was done, and its message could not be sent
};

namespace {

constexpr double second_ns = 1e9;
constexpr std::size_t message_max = std::size_t{1} << 20;

[[noreturn]] void throw_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("cannot make a pipe to a step's process");
    read = net::Fd(ends[0]);
    write = net::Fd(ends[1]);
    ::fcntl(read.get(), F_SETFL, O_NONBLOCK);
  }
  net::Fd read, write;
};

void limit(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  ::getrlimit(resource, &now);
  now.rlim_cur = std::min(now.rlim_max, most);
  ::setrlimit(resource, &now);
}

// No core file for a crash that was expected, no plugin that eats the machine's memory, none that goes on for ever
// should its parent be gone. A sanitizer maps terabytes, so there the memory is not limited.
void limit_resources(double step_seconds) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<rlim_t>(10 * step_seconds) + 1);  // of all threads together
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, rlim_t{2} << 30);
#endif
}

void settle_in(int output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
}

Json to_json(const Told& told) {
  const Outcome& outcome = told.outcome;
  return {{"verdict", int(outcome.verdict)},
          {"words", outcome.words},
          {"law", outcome.law},
          {"cure", outcome.cure},
          {"more", told.more}};
}

// Nothing for a message that is not one of these, whoever has written it.
std::optional<Told> from_json(const std::optional<Json>& json) {
  if (!json) return std::nullopt;
  const auto text = [&](const char* key) { return json->at(key).get<std::string>(); };
  try {
    const int verdict = json->at("verdict");
    if (verdict < int(Verdict::pass) || verdict > int(Verdict::skip)) return std::nullopt;
    return Told{{Verdict(verdict), text("words"), text("law"), text("cure")}, json->at("more")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Told told_by(const Work& work, host::CallLog& log) noexcept {
  try {
    return work(log);
  } catch (const std::exception& exception) {
    return {{Verdict::fail, exception.what()}};
  }
}

// noexcept: what could leave this (a thread that the plugin ends, no memory for the message) would go on in the
// parent's code, with the parent's children.
[[noreturn]] void Child::be_child(const Work& work, Leaves leaves, int message, int output, pid_t parent) noexcept {
  settle_in(output, parent);
  limit_resources(limits_.step);
  host::watch_faults(shared_->fault);
  CallTrace trace(shared_->calls);
  const pid_t self = ::getpid();
  const Told told = told_by(work, trace);
  if (::getpid() != self) ::_exit(EXIT_FAILURE);  // a copy that the plugin has made: the step is not its business
  const bool sent = send_message(message, to_json(told));
  shared_->unsent = !sent;
  std::fflush(nullptr);  // what the plugin printed
  host::expect_exit();
  if (leaves == Leaves::by_exit) std::exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
  ::_exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

Child::Child(const Work& work, Leaves leaves, const Limits& limits) : limits_(limits) {
  Pipe message, output;
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("cannot make the memory that a step's process shares");
  shared_ = new (memory) Shared;
  std::fflush(nullptr);  // what is not printed yet would be printed by both
  begun_ns_ = measure::now_ns();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) be_child(work, leaves, message.write.get(), output.write.get(), parent);
  if (pid_ < 0) {
    const int error = errno;
    ::munmap(memory, sizeof(Shared));
    throw std::system_error(error, std::generic_category(), "cannot start a step's process");
  }
  ::setpgid(pid_, pid_);  // whichever of the two comes first
  message_ = std::move(message.read);
  output_ = std::move(output.read);
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::munmap(shared_, sizeof(Shared));
}

// A plugin that writes without end is not followed for ever: the other steps wait.
void Child::read_all() {
  constexpr int rounds = 64;
  std::array<char, 16384> bytes;
  for (int round = 0; round < rounds; ++round) {
    const ssize_t count = output_ ? ::read(output_.get(), bytes.data(), bytes.size()) : -1;
    if (count == 0) output_.close();  // else poll would go on telling of its end
    if (count <= 0) break;
    kept_.add({bytes.data(), static_cast<std::size_t>(count)});
  }
  for (int round = 0; round < rounds; ++round) {
    const ssize_t count = message_ ? ::read(message_.get(), bytes.data(), bytes.size()) : -1;
    if (count == 0) message_.close();
    if (count <= 0) break;
    if (received_.size() < message_max) received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

bool Child::is_late(double seconds, double cpu_seconds, double limit) const {
  if (seconds <= limit) return false;
  return cpu_seconds >= 0.9 * limit || seconds > 3 * limit || !measure::any_thread_runs(pid_);
}

bool Child::is_late() {
  const std::int64_t now_ns = measure::now_ns(), cpu_ns = measure::process_cpu_ns(pid_);
  std::string what = "the step did not come to its end";
  double limit = limits_.step, since_ns = double(begun_ns_), cpu_since_ns = 0;
  if (received_message(received_)) {
    if (done_ns_ == 0) done_ns_ = now_ns;
    what = "the process did not come to its end after its step was done";
    limit = limits_.exit;
    since_ns = double(done_ns_);
  } else if (const auto call = call_under_way(shared_->calls)) {
    if (call->number != watched_call_) {
      watched_call_ = call->number;
      watched_call_cpu_ns_ = cpu_ns;
    }
    const std::string slot = call->slot;
    const double call_limit = slot == "load"        ? limits_.load
                              : slot == "start"     ? limits_.start
                              : slot == "handshake" ? limits_.handshake
                                                    : limits_.call;
    if (double(now_ns - call->begin_ns) / second_ns > call_limit) {
      what = fmt::format("{} did not come back", name_of(*call));
      limit = call_limit;
      since_ns = double(call->begin_ns);
      cpu_since_ns = double(watched_call_cpu_ns_);
    }
  }
  const double seconds = (double(now_ns) - since_ns) / second_ns,
               cpu_seconds = (double(cpu_ns) - cpu_since_ns) / second_ns;
  if (!is_late(seconds, cpu_seconds, limit)) return false;
  // On a machine with more to do than processors one that is busy gets little CPU time.
  const bool busy = cpu_seconds > limit / 2 || measure::any_thread_runs(pid_);
  given_up_ = {Verdict::hang, fmt::format("{} within {:g} s (CPU time {:.1f} s: {})", what, limit, cpu_seconds,
                                          busy ? "busy" : "waiting")};
  return true;
}

// Asks every thread where it is, and gives them a moment to answer.
void Child::give_up() {
  measure::signal_threads(pid_, host::look_signal());
  const std::int64_t deadline_ns = measure::now_ns() + std::int64_t(second_ns / 4);
  while (!host::is_whole(shared_->fault) && measure::now_ns() < deadline_ns)
    measure::sleep_until_ns(measure::now_ns() + 5'000'000);
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

std::optional<Ended> Child::look() {
  read_all();
  siginfo_t state{};
  const std::int64_t cpu_ns = measure::process_cpu_ns(pid_);
  const auto has_ended = [&](int options) {
    return ::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOWAIT | options) == 0 && state.si_pid == pid_;
  };
  if (!has_ended(WNOHANG)) {
    if (!is_late()) return std::nullopt;
    give_up();
    has_ended(0);
  }
  ::kill(-pid_, SIGKILL);  // whatever it has left in its group, while the group's number is still its own
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  read_all();
  Ended ended = ended_with(status);
  ended.seconds = double(measure::now_ns() - begun_ns_) / second_ns;
  ended.cpu_seconds = double(cpu_ns) / second_ns;
  return ended;
}

std::string Child::meanwhile() const {
  if (const auto call = call_under_way(shared_->calls)) return fmt::format("the host was in {}", name_of(*call));
  const auto calls = latest_calls(shared_->calls);
  return calls.empty() ? "before any call" : fmt::format("after {}", name_of(calls.back()));
}

Outcome Child::outcome_of(int status) {
  const host::FaultReport& fault = shared_->fault;
  if (given_up_) {
    Outcome outcome = *given_up_;
    if (host::is_whole(fault)) outcome.words += host::code_words(fault);
    outcome.words += ". Killed with SIGKILL";
    return outcome;
  }
  const bool exited = WIFEXITED(status);
  if (exited && shared_->unsent)
    return {Verdict::exit,
            "the step's result could not be sent: a descriptor that is not the plugin's was closed or used",
            "a plugin closes and uses its own descriptors and the fd of a session, and no other",
            "look for a close or a write on a number that was closed before, or is not the session's"};
  std::string state = meanwhile();
  if (exited) state += fmt::format("; exit status {}", WEXITSTATUS(status));
  if (host::is_whole(fault) && fault.has_address)
    state = fmt::format("at data address {:#x}; {}", fault.address, state);
  const Verdict verdict = exited ? Verdict::exit : Verdict::crash;
  if (const std::string told = host::fault_words(fault, state); !told.empty()) return {verdict, told};
  if (exited) return {verdict, fmt::format("ended the process by itself ({})", state)};
  const int signal = WTERMSIG(status);
  return {verdict, fmt::format("was killed by SIG{} ({}; {})", ::sigabbrev_np(signal), ::sigdescr_np(signal), state)};
}

Ended Child::ended_with(int status) {
  Ended ended;
  ended.calls = latest_calls(shared_->calls);
  if (host::is_whole(shared_->fault)) ended.plugin_at_fault = shared_->fault.plugin;
  ended.output = kept_.text();
  const auto told = from_json(received_message(received_));
  if (told && !given_up_ && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    ended.outcome = told->outcome;
    ended.more = told->more;
    return ended;
  }
  ended.outcome = outcome_of(status);
  ended.at_exit = told.has_value();
  if (ended.at_exit)
    ended.outcome.words += given_up_ ? "" : ", when the step was done and the process came to its end";
  else if (!given_up_)
    ended.outcome.words += ", without a whole result of the step";
  return ended;
}

}  // namespace tlsrig::check
