// SIGINT, SIGTERM, SIGHUP and SIGQUIT as something to wait for: the first ends the run in order, the second ends the
// program at once.
#pragma once

#include <csignal>
#include <stdexcept>

namespace tlsrig::rig {

// A run was asked to end.
struct Interrupted : std::runtime_error {
  explicit Interrupted(int signal_) : std::runtime_error("interrupted"), signal(signal_) {}
  int signal;
};

// as_usual: they end the program where it stands, and a debugger sees them.
enum class Signals { held_back, as_usual };

// Holds the signals back while it lives, but for those that the process was started to ignore. One per process, made
// before any thread.
class Interruption {
 public:
  explicit Interruption(Signals signals = Signals::held_back);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // Readable once a signal has come; -1 when none is held back, which poll(2) passes over.
  int fd() const { return fd_; }

  // Throws Interrupted when a signal has come; from then on the next one ends the program.
  void check();

  // What a child process starts with: the signals as they were.
  const sigset_t& original_mask() const { return original_mask_; }

 private:
  sigset_t original_mask_;
  int fd_ = -1;
};

}  // namespace tlsrig::rig
