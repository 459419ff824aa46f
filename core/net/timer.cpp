// timerfd(2) with absolute times.
#include <tlsrig/net/timer.hpp>

#include <cerrno>
#include <system_error>

#include <sys/timerfd.h>

namespace tlsrig::net {

namespace {

void set_time(int fd, const itimerspec& time) {
  if (::timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "timerfd_settime");
}

}  // namespace

Timer::Timer() : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

void Timer::set(std::int64_t ns) {
  itimerspec time{};
  if (ns < 1) ns = 1;  // 0 would disarm
  time.it_value.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  time.it_value.tv_nsec = static_cast<long>(ns % 1'000'000'000);
  set_time(fd_.get(), time);
}

void Timer::disarm() { set_time(fd_.get(), itimerspec{}); }

}  // namespace tlsrig::net
