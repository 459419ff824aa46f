// The connections of a relay that failed. Each is torn down alone and the others go on; what happened is kept for the
// end of the step.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <string>

#include <tlsrig/workloads/first_failure.hpp>

namespace tlsrig::workloads {

class Casualties {
 public:
  // Readable once a connection has failed, and from then on.
  int fd() const { return first_.fd(); }

  // Any thread.
  void add(std::exception_ptr failure) noexcept;

  // Throws what failed first, if anything did: a StepError has its kind, and its words with the number of all failures
  // of each kind where there were more. Any thread.
  void rethrow();

 private:
  FirstFailure first_;
  std::mutex mutex_;
  std::map<std::string, std::uint64_t> by_kind_;
};

}  // namespace tlsrig::workloads
