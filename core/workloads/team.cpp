// Threads that run one task side by side.
#include <tlsrig/workloads/team.hpp>

#include <csignal>

namespace tlsrig::workloads {

Team::Team(unsigned threads) {
  // Signals belong to the main thread: the others start with all of them blocked.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned member = 1; member < threads; ++member) others_.emplace_back([this, member] { work(member); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  begun_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::run(const std::function<void(unsigned)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    failure_ = nullptr;
    busy_ = static_cast<unsigned>(others_.size());
    ++round_;
  }
  if (!others_.empty()) begun_.notify_all();
  perform(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void Team::work(unsigned member) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
    }
    perform(member);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

void Team::perform(unsigned member) noexcept {
  try {
    (*task_)(member);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace tlsrig::workloads
