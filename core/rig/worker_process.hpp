// A worker as a process of its own: start it, and tell how it ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tlsrig/rig/fault_memory.hpp>
#include <tlsrig/rig/worker_handle.hpp>

namespace tlsrig::rig {

class WorkerProcess final : public WorkerHandle {
 public:
  // Starts this program anew as a worker, in a process group of its own. What it prints is kept aside. library_path:
  // where its loader looks first, before what LD_LIBRARY_PATH says; empty: nowhere in particular.
  // Throws std::system_error.
  WorkerProcess(std::string role, const std::string& library_path, const Interruption& interruption);
  ~WorkerProcess() override;  // kills the process group, reaps the worker

  // Looks where the worker, which was given `seconds` for its step, is, and kills it.
  StepFailure give_up(double seconds) override;

  // Asks the worker to end and waits for it. A failure when it did not exit with 0, as when a sanitizer has something
  // to say.
  std::optional<StepFailure> end() override;

 private:
  WorkerProcess(std::string role, const std::string& library_path, const Interruption& interruption,
                std::pair<int, int> sockets);
  StepFailure ended_early() override;
  StepFailure ended_with(int status) const;
  std::string last_words() const;
  std::optional<int> wait_status(std::int64_t deadline_ns);
  const char* look() const;

  pid_t pid_ = -1;
  int output_fd_ = -1;
  FaultMemory fault_;
};

}  // namespace tlsrig::rig
