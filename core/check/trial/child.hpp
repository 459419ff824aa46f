// A step in a process of its own, so that a plugin that crashes, exits or hangs harms that step alone. A fork, and no
// new start of the program: this one has loaded no plugin and has one thread, so the child is as fresh as a new one,
// in a tenth of the time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/check/step.hpp>
#include <tlsrig/check/trial/call_trace.hpp>
#include <tlsrig/check/trial/message.hpp>
#include <tlsrig/check/trial/output.hpp>
#include <tlsrig/host/fault_watch.hpp>
#include <tlsrig/net/fd.hpp>

namespace tlsrig::check {

// Seconds. A call that is busy but gets no processor, on a machine with more to do, has three times as long.
struct Limits {
  double load = 5, start = 10, handshake = 10, call = 2, step = 60;
  double exit = 5;  // from the result to the end of the process
};

// What the work of a child found, and what else it has to tell.
struct Told {
  Outcome outcome;
  Json more = {};
};

// Runs in the child; its calls of the plugin go by the log.
using Work = std::function<Told(host::CallLog&)>;

// How a child came to its end.
struct Ended {
  Outcome outcome;
  Json more;
  std::vector<TracedCall> calls;  // all that are still known, oldest first
  std::string plugin_at_fault;    // path; of a crash, exit or hang, where it is known
  bool at_exit = false;           // the work was done: it is in an exit handler that it went wrong
  std::string output;             // what it printed, cut
  double seconds = 0, cpu_seconds = 0;
};

class Child {
 public:
  // at_once: without exit handlers, whose business the plugin's other steps are not; by_exit: as a program ends.
  enum class Leaves { at_once, by_exit };

  // Throws std::system_error when a process or its memory cannot be had.
  Child(const Work& work, Leaves leaves, const Limits& limits);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // ends the child's process group

  pid_t pid() const { return pid_; }

  // What to wait for (poll(2)) before the next look, beside a short time.
  int message_fd() const { return message_.get(); }
  int output_fd() const { return output_.get(); }

  // Takes what the child has sent and printed, and ends it when it is late. Nothing while it goes on.
  std::optional<Ended> look();

 private:
  struct Shared;  // lies in memory of both processes

  [[noreturn]] void be_child(const Work& work, Leaves leaves, int message, int output, pid_t parent) noexcept;
  void read_all();
  bool is_late();
  bool is_late(double seconds, double cpu_seconds, double limit) const;
  void give_up();
  Ended ended_with(int status);
  Outcome outcome_of(int status);
  std::string meanwhile() const;

  Limits limits_;
  Shared* shared_ = nullptr;
  pid_t pid_ = -1;
  net::Fd message_, output_;
  std::string received_;
  KeptOutput kept_;
  std::int64_t begun_ns_ = 0, done_ns_ = 0;  // done: its whole message was there; 0: not yet
  std::uint64_t watched_call_ = 0;           // the one under way at the last look
  std::int64_t watched_call_cpu_ns_ = 0;     // the child's CPU time then
  std::optional<Outcome> given_up_;          // it was late
};

// Does the work; an exception of it is a failure, in its words.
Told told_by(const Work& work, host::CallLog& log) noexcept;

}  // namespace tlsrig::check
