// The same worker on a thread of this process.
#include <tlsrig/rig/worker_thread.hpp>

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include <tlsrig/rig/worker.hpp>

namespace tlsrig::rig {

WorkerThread::WorkerThread(std::string role, LoadedBackends& loaded)
    : WorkerThread(std::move(role), loaded, control_sockets()) {}

WorkerThread::WorkerThread(std::string role, LoadedBackends& loaded, std::pair<int, int> sockets)
    : WorkerHandle(std::move(role), sockets.first), thread_([name = role_, &loaded, control_fd = sockets.second] {
        ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());  // what perf and gdb show
        run_worker_thread(control_fd, loaded);
        ::close(control_fd);
      }) {}

// Without a socket to the rig the thread is done when its step is: a server looks out for that while it serves.
WorkerThread::~WorkerThread() {
  ::shutdown(fd(), SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
}

StepFailure WorkerThread::give_up(double seconds) {
  return {StepFailure::Cause::late, "hang",
          fmt::format("the {}'s thread did not end step {} within {:.0f} s", role_, step_, seconds)};
}

std::optional<StepFailure> WorkerThread::end() {
  ask({{"do", "end"}});
  thread_.join();
  return std::nullopt;
}

StepFailure WorkerThread::ended_early() {
  return {StepFailure::Cause::ended, "exit", fmt::format("the {}'s thread ended in step {}", role_, step_)};
}

}  // namespace tlsrig::rig
