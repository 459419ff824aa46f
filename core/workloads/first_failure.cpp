// The first failure among the loops of a role.
#include <tlsrig/workloads/first_failure.hpp>

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tlsrig::workloads {

FirstFailure::FirstFailure() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void FirstFailure::report(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  failure_ = std::move(failure);
  ::eventfd_write(event_.get(), 1);
}

void FirstFailure::rethrow() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace tlsrig::workloads
