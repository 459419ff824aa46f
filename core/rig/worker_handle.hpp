// The rig's side of a worker: ask it, wait for it with a deadline, and tell how it ended. A worker is a process of its
// own (worker_process.hpp) or, for debuggers and profilers, a thread of this one (worker_thread.hpp); both speak the
// same protocol.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tlsrig/rig/channel.hpp>
#include <tlsrig/rig/interruption.hpp>

namespace tlsrig::rig {

// Why a step did not come to its end.
struct StepFailure {
  // hung: late, and seen in a plugin's code; late: it may have waited for another worker.
  enum class Cause { unsupported, answered, ended, hung, late } cause;
  std::string kind;    // "crash", "exit", "hang", or the kind that the worker answered
  std::string reason;  // in words, the role named
};

inline constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

class WorkerHandle {
 public:
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;
  virtual ~WorkerHandle();

  const std::string& role() const { return role_; }

  // Sends a request; its answer comes through `await`. A worker that is gone shows there.
  void ask(Json request);

  int fd() const { return channel_.fd(); }

  // Whether an answer lies here already, so that waiting for the descriptor would miss it.
  bool holds_answer() const { return channel_.holds_message(); }

  // Reads the answer that poll(2) has announced, by the deadline of a step that was given `seconds`. Gives the failure,
  // or the answer in `answer`.
  std::optional<StepFailure> take_answer(Json& answer, std::int64_t deadline_ns, double seconds);

  // Ends the wait for a worker that was given `seconds` for its step.
  virtual StepFailure give_up(double seconds) = 0;

  // Asks the worker to end and waits for it. A failure when it did not end well.
  virtual std::optional<StepFailure> end() = 0;

 protected:
  WorkerHandle(std::string role, int control_fd) : role_(std::move(role)), channel_(control_fd) {}

  // The two ends of a control socket, of which this object takes the first. Throws std::system_error.
  static std::pair<int, int> control_sockets();

  // What to say of a worker that is gone.
  virtual StepFailure ended_early() = 0;

  const std::string role_;
  std::string step_ = "start";

 private:
  Channel channel_;  // its descriptor is this object's
};

struct Answer {
  Json message;
  std::optional<StepFailure> failure;
  bool answered = false;
};

// Waits until the first `required` workers have answered their last request; the others are watched, so that a failure
// of theirs is seen. Throws Interrupted. Gives each worker's answer or failure, in order; a watched worker may have
// neither. After the first failure the others get a moment to show theirs.
std::vector<Answer> await(const std::vector<WorkerHandle*>& workers, std::size_t required, std::int64_t deadline_ns,
                          double seconds, Interruption& interruption);

}  // namespace tlsrig::rig
