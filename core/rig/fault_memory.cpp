// The page that a worker and the rig share.
#include <tlsrig/rig/fault_memory.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace tlsrig::rig {

namespace {

void* map(int fd) { return ::mmap(nullptr, sizeof(host::FaultReport), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); }

}  // namespace

FaultMemory::FaultMemory() : fd_(::memfd_create("worker-fault", MFD_CLOEXEC)) {
  void* memory = MAP_FAILED;
  if (fd_ >= 0 && ::ftruncate(fd_, sizeof(host::FaultReport)) == 0) memory = map(fd_);
  if (memory == MAP_FAILED) {
    const int error = errno;
    if (fd_ >= 0) ::close(fd_);
    throw std::system_error(error, std::generic_category(), "cannot make the memory that a worker shares with the rig");
  }
  report_ = new (memory) host::FaultReport;
}

FaultMemory::~FaultMemory() {
  if (report_) ::munmap(report_, sizeof *report_);
  if (fd_ >= 0) ::close(fd_);
}

void report_faults_through(int fd) {
  void* const memory = map(fd);
  if (memory == MAP_FAILED) return;
  ::close(fd);
  host::watch_faults(*static_cast<host::FaultReport*>(memory));
}

}  // namespace tlsrig::rig
