// What a process does at its signals: dispositions and the calling thread's mask, to see what a plugin changed of them.
#pragma once

#include <csignal>

#include <array>
#include <string>

namespace tlsrig::check {

class Signals {
 public:
  // As they are now; the mask is the calling thread's.
  static Signals now();

  // What has been changed since, in words: "set SIGPIPE to its default: a peer that goes away would end the whole
  // program; blocked SIGTERM". Empty when nothing was. [any thread, but the same one for both]
  std::string changes_since(const Signals& before) const;

 private:
  std::array<struct sigaction, NSIG> actions_{};
  sigset_t mask_{};
};

}  // namespace tlsrig::check
