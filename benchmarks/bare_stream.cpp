// A hand-written stream: one process writes messages until the socket is full, the other reads until it is empty, each
// with level-triggered epoll, over 127.0.0.1.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/layout.hpp>

#include "bare_sockets.hpp"
#include "contestant.hpp"

namespace tlsrig::benchmarks {

namespace {

using workloads::Layout;
using workloads::Purpose;

constexpr std::size_t read_size = 64 * 1024;
constexpr unsigned calls_per_look = 16;  // at the clock

struct Interval {
  std::int64_t begin_ns = 0, end_ns = 0;
};

int watching(int fd, std::uint32_t events) {
  const int epoll = require(::epoll_create1(0), "epoll_create1");
  epoll_event event{events, {.fd = fd}};
  require(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  return epoll;
}

// Calls move(), which gives false when the socket must be waited for, until the end.
template <class Move>
void keep_moving(int epoll, std::int64_t end_ns, Move&& move) {
  epoll_event event;
  while (measure::now_ns() < end_ns) {
    if (::epoll_wait(epoll, &event, 1, 1) <= 0) continue;
    for (unsigned calls = 1; move(); ++calls)
      if (calls % calls_per_look == 0 && measure::now_ns() >= end_ns) return;
  }
}

// Tells the bytes per second of each interval; one that ends at 0 is the last.
void take(int fd, int channel, std::uint8_t* buffer) {
  const int epoll = watching(fd, EPOLLIN);
  Interval interval;
  while (::read(channel, &interval, sizeof interval) == sizeof interval && interval.end_ns) {
    measure::sleep_until_ns(interval.begin_ns);
    std::uint64_t bytes = 0;
    keep_moving(epoll, interval.end_ns, [&] {
      const ssize_t got = ::read(fd, buffer, read_size);
      if (got > 0) bytes += static_cast<std::uint64_t>(got);
      return got > 0;
    });
    const double rate = 1e9 * static_cast<double>(bytes) / static_cast<double>(interval.end_ns - interval.begin_ns);
    if (::write(channel, &rate, sizeof rate) != sizeof rate) return;
  }
}

class BareStream final : public Contestant {
 public:
  explicit BareStream(const Task& task)
      : message_(Layout(task.placement_seed).make(Purpose::message, task.size)),
        buffer_(Layout(task.placement_seed).make(Purpose::receive, read_size)) {
    sockaddr_in address;
    const int listener = listen_anywhere(1, address);
    int channel[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel), "socketpair");
    reader_ = require(::fork(), "fork");
    if (reader_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(channel[0]);
      const int fd = require(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK), "accept4");
      set_options(fd);
      take(fd, channel[1], buffer_.data());
      ::_exit(0);
    }
    ::close(listener);
    ::close(channel[1]);
    channel_ = channel[0];
    fd_ = connect_to(address);
    require(::fcntl(fd_, F_SETFL, O_NONBLOCK), "fcntl");
    epoll_ = watching(fd_, EPOLLOUT);
  }

  ~BareStream() override {
    tell({});
    ::close(epoll_);
    ::close(fd_);
    ::waitpid(reader_, nullptr, 0);
    ::close(channel_);
  }

  // Freezes at end_ns, what is in the socket stays there, as the rig does.
  double run(std::int64_t begin_ns, std::int64_t end_ns) override {
    tell({begin_ns, end_ns});
    measure::sleep_until_ns(begin_ns);
    keep_moving(epoll_, end_ns, [&] {
      const ssize_t sent = ::write(fd_, message_.data() + sent_, message_.size() - sent_);
      if (sent <= 0) return false;
      sent_ += static_cast<std::size_t>(sent);
      if (sent_ == message_.size()) sent_ = 0;
      return true;
    });
    double bytes_per_second = 0;
    if (::read(channel_, &bytes_per_second, sizeof bytes_per_second) != sizeof bytes_per_second)
      throw std::runtime_error("bare stream: the reader is gone");
    return bytes_per_second / static_cast<double>(message_.size());
  }

 private:
  void tell(const Interval& interval) const {
    if (::write(channel_, &interval, sizeof interval) != sizeof interval) return;  // noticed when it does not answer
  }

  measure::PlacedBuffer message_, buffer_;
  pid_t reader_ = -1;
  int channel_ = -1, fd_ = -1, epoll_ = -1;
  std::size_t sent_ = 0;  // of the message under way
};

}  // namespace

std::unique_ptr<Contestant> make_bare_stream(const Task& task) { return std::make_unique<BareStream>(task); }

}  // namespace tlsrig::benchmarks
