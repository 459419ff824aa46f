// What the loops of one role tell each other: that one has failed, and how. A loop that only saw its own end would go
// on until the peer, which has heard of the failure as a closed connection, takes the others down; and what those then
// meet is no more than a consequence.
#pragma once

#include <exception>
#include <mutex>

#include <tlsrig/net/fd.hpp>

namespace tlsrig::workloads {

class FirstFailure {
 public:
  // Throws std::system_error.
  FirstFailure();

  // Readable once a loop has failed, and from then on.
  int fd() const { return event_.get(); }

  // Keeps this failure unless there is one already. Any thread.
  void report(std::exception_ptr failure) noexcept;

  // Throws the failure that was reported first, if any. Any thread.
  void rethrow();

 private:
  net::Fd event_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace tlsrig::workloads
