// A worker as a thread of this program, for debuggers and profilers: the same steps in the same order.
#pragma once

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <tlsrig/rig/loaded_backends.hpp>
#include <tlsrig/rig/worker_handle.hpp>

namespace tlsrig::rig {

class WorkerThread final : public WorkerHandle {
 public:
  // loaded: outlives this. Throws std::system_error.
  WorkerThread(std::string role, LoadedBackends& loaded);
  ~WorkerThread() override;  // waits for the thread, which ends with its step

  StepFailure give_up(double seconds) override;
  std::optional<StepFailure> end() override;

 private:
  WorkerThread(std::string role, LoadedBackends& loaded, std::pair<int, int> sockets);
  StepFailure ended_early() override;

  std::thread thread_;
};

}  // namespace tlsrig::rig
