// Reading and comparing dispositions and masks.
#include <tlsrig/check/bench/signals.hpp>

#include <string.h>  // sigabbrev_np

#include <fmt/format.h>

namespace tlsrig::check {
namespace {

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

using Handler = void (*)(int);

// sa_handler and sa_sigaction share their place.
Handler handler_of(const struct sigaction& action) { return action.sa_handler; }

const char* consequence(int number, Handler old, Handler current) {
  if (number == SIGPIPE && current == SIG_DFL) return ": a peer that goes away would end the whole program";
  return old == SIG_DFL ? "" : ": what the program does at it is lost";
}

std::string words_of_change(int number, Handler old, Handler current) {
  const std::string name = signal_name(number);
  const char* const result = consequence(number, old, current);
  if (current == SIG_DFL) return fmt::format("set {} to its default{}", name, result);
  if (current == SIG_IGN) return fmt::format("made the program ignore {}{}", name, result);
  return fmt::format("installed a handler for {}{}", name, result);
}

}  // namespace

Signals Signals::now() {
  Signals signals;
  for (int number = 1; number < NSIG; ++number)  // those that the C library keeps for itself cannot be asked for
    sigaction(number, nullptr, &signals.actions_[std::size_t(number)]);
  pthread_sigmask(SIG_SETMASK, nullptr, &signals.mask_);
  return signals;
}

std::string Signals::changes_since(const Signals& before) const {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  for (int number = 1; number < NSIG; ++number) {
    const Handler old = handler_of(before.actions_[std::size_t(number)]);
    const Handler current = handler_of(actions_[std::size_t(number)]);
    if (current != old) add(words_of_change(number, old, current));
    const bool blocked = sigismember(&mask_, number) == 1, was_blocked = sigismember(&before.mask_, number) == 1;
    if (blocked != was_blocked) add(fmt::format("{} {}", blocked ? "blocked" : "unblocked", signal_name(number)));
  }
  return words;
}

}  // namespace tlsrig::check
