// Threads that run one task side by side, again and again: the caller and threads - 1 others, which sleep in between.
// Starting them anew for each slice would cost as much as a slice of 10 ms can lose.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tlsrig::workloads {

class Team {
 public:
  explicit Team(unsigned threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned threads() const { return static_cast<unsigned>(others_.size()) + 1; }

  // Runs task(0) on the caller and task(1)... on the others, and returns when all are done. The first exception of any
  // is thrown then.
  void run(const std::function<void(unsigned)>& task);

 private:
  void work(unsigned member);
  void perform(unsigned member) noexcept;

  std::mutex mutex_;
  std::condition_variable begun_, done_;
  const std::function<void(unsigned)>* task_ = nullptr;
  std::uint64_t round_ = 0;
  unsigned busy_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> others_;
};

}  // namespace tlsrig::workloads
