// Signals as a readable descriptor.
#include <tlsrig/rig/interruption.hpp>

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace tlsrig::rig {

namespace {

// As nohup(1) has it ignored, and a shell SIGINT of what runs in its background.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interruption::Interruption(Signals signals) {
  sigset_t held;
  sigemptyset(&held);
  pthread_sigmask(SIG_BLOCK, &held, &original_mask_);
  if (signals == Signals::as_usual) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (!is_ignored(signal)) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &original_mask_);
  fd_ = ::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Interruption::~Interruption() {
  if (fd_ >= 0) ::close(fd_);
  pthread_sigmask(SIG_SETMASK, &original_mask_, nullptr);
}

void Interruption::check() {
  if (fd_ < 0) return;
  signalfd_siginfo info;
  if (::read(fd_, &info, sizeof info) != sizeof info) return;
  pthread_sigmask(SIG_SETMASK, &original_mask_, nullptr);
  throw Interrupted(static_cast<int>(info.ssi_signo));
}

}  // namespace tlsrig::rig
