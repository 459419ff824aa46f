// Memory that a worker shares with the rig, for the report of how it ended.
#pragma once

#include <utility>

#include <tlsrig/host/fault_watch.hpp>

namespace tlsrig::rig {

// The rig's side. A file of memory, since a worker is another program start and inherits descriptors only.
class FaultMemory {
 public:
  FaultMemory();  // throws std::system_error
  FaultMemory(FaultMemory&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), report_(std::exchange(other.report_, nullptr)) {}
  FaultMemory& operator=(FaultMemory&&) = delete;
  ~FaultMemory();

  int fd() const { return fd_; }  // to be given to the worker
  const host::FaultReport& report() const { return *report_; }

 private:
  int fd_ = -1;
  host::FaultReport* report_ = nullptr;
};

// The worker's side: what goes wrong from now on is reported through this descriptor, which is closed. A worker that
// was started without one goes unwatched.
void report_faults_through(int fd);

}  // namespace tlsrig::rig
