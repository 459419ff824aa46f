// The rig's side of a worker: start it, ask it, wait for it with a deadline, and tell how it ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/rig/channel.hpp>
#include <tlsrig/rig/interruption.hpp>

namespace tlsrig::rig {

// Why a step did not come to its end.
struct StepFailure {
  enum class Cause { unsupported, answered, ended, late } cause;
  std::string kind;    // "crash", "exit", "hang", or the kind that the worker answered
  std::string reason;  // in words, the role named
};

class WorkerProcess {
 public:
  // Starts this program anew as a worker, in a process group of its own. What it prints is kept aside.
  // Throws std::system_error.
  WorkerProcess(std::string role, const Interruption& interruption);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();  // kills the process group, reaps the worker

  const std::string& role() const { return role_; }

  // Sends a request; its answer comes through `await`. A worker that is gone shows there.
  void ask(Json request);

  int fd() const { return channel_.fd(); }

  // Whether an answer lies here already, so that waiting for the descriptor would miss it.
  bool holds_answer() const { return channel_.holds_message(); }

  // Reads the answer that poll(2) has announced, by the deadline of a step that was given `seconds`. Gives the failure,
  // or the answer in `answer`.
  std::optional<StepFailure> take_answer(Json& answer, std::int64_t deadline_ns, double seconds);

  // Kills the worker, which was given `seconds` for its step.
  StepFailure give_up(double seconds);

  // Asks the worker to end and waits a second for it. A failure when it did not exit with 0, as when a sanitizer has
  // something to say.
  std::optional<StepFailure> end();

 private:
  StepFailure ended_early();
  StepFailure ended_with(int status) const;
  std::string last_words() const;
  std::optional<int> wait_status(std::int64_t deadline_ns);

  std::string role_;
  std::string step_ = "start";
  pid_t pid_ = -1;
  int output_fd_ = -1;
  Channel channel_;
};

struct Answer {
  Json message;
  std::optional<StepFailure> failure;
  bool answered = false;
};

// Waits until the first `required` workers have answered their last request; the others are watched, so that a failure
// of theirs is seen. Throws Interrupted. Gives each worker's answer or failure, in order; a watched worker may have
// neither. After the first failure the others get a moment to show theirs.
std::vector<Answer> await(const std::vector<WorkerProcess*>& workers, std::size_t required, std::int64_t deadline_ns,
                          double seconds, Interruption& interruption);

}  // namespace tlsrig::rig
