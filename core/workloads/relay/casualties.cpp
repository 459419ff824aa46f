// Counting failures by kind.
#include <tlsrig/workloads/relay/casualties.hpp>

#include <fmt/format.h>

#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

namespace {

std::string kind_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const StepError& error) {
    return error.kind;
  } catch (const host::Unsupported&) {
    return "unsupported";
  } catch (...) {
    return "other";
  }
}

}  // namespace

void Casualties::add(std::exception_ptr failure) noexcept {
  const std::string kind = kind_of(failure);
  {
    const std::lock_guard lock(mutex_);
    ++by_kind_[kind];
  }
  first_.report(std::move(failure));
}

void Casualties::rethrow() {
  try {
    first_.rethrow();
  } catch (const StepError& error) {
    const std::lock_guard lock(mutex_);
    std::uint64_t failed = 0;
    std::string kinds;
    for (const auto& [kind, count] : by_kind_) {
      failed += count;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
    }
    if (failed <= 1) throw;
    throw StepError(error.kind, fmt::format("{}; {} connections of the relay failed: {}", error.what(), failed, kinds));
  }
}

}  // namespace tlsrig::workloads
