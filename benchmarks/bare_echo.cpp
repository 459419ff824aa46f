// A hand-written echo: level-triggered epoll, one thread in each of two processes, ping-pong over 127.0.0.1.
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/layout.hpp>

#include "bare_sockets.hpp"
#include "contestant.hpp"

namespace tlsrig::benchmarks {

namespace {

using workloads::Layout;
using workloads::Purpose;

constexpr std::size_t read_size = 64 * 1024;

void watch(int epoll, int fd) {
  epoll_event event{EPOLLIN, {.fd = fd}};
  require(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

// Small messages over an idle loopback: the socket takes them whole.
void put(int fd, const std::uint8_t* data, std::size_t size) {
  while (size) {
    const ssize_t sent = ::write(fd, data, size);
    if (sent < 0 && errno != EAGAIN) require(-1, "write");
    if (sent <= 0) continue;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void serve(int listener, unsigned connections, std::uint8_t* buffer) {
  const int epoll = require(::epoll_create1(0), "epoll_create1");
  for (unsigned i = 0; i < connections; ++i) {
    const int fd = require(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK), "accept4");
    set_options(fd);
    watch(epoll, fd);
  }
  epoll_event events[256];
  while (connections) {
    const int count = ::epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      const ssize_t got = ::read(fd, buffer, read_size);
      if (got > 0) put(fd, buffer, static_cast<std::size_t>(got));
      if (got != 0) continue;
      ::close(fd);
      --connections;
    }
  }
}

class BareEcho final : public Contestant {
 public:
  explicit BareEcho(const Task& task)
      : message_(Layout(task.placement_seed).make(Purpose::message, task.size)),
        buffer_(Layout(task.placement_seed).make(Purpose::receive, read_size)) {
    sockaddr_in address;
    const int listener = listen_anywhere(4096, address);
    server_ = require(::fork(), "fork");
    if (server_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      serve(listener, task.connections, buffer_.data());
      ::_exit(0);
    }
    ::close(listener);
    epoll_ = require(::epoll_create1(0), "epoll_create1");
    for (unsigned i = 0; i < task.connections; ++i) {
      const int fd = connect_to(address);
      watch(epoll_, fd);
      fds_.push_back(fd);
      if (static_cast<std::size_t>(fd) >= got_.size()) got_.resize(static_cast<std::size_t>(fd) + 1);
    }
    for (const int fd : fds_) put(fd, message_.data(), message_.size());
  }

  ~BareEcho() override {
    for (const int fd : fds_) ::close(fd);
    ::close(epoll_);
    ::waitpid(server_, nullptr, 0);
  }

  // Freezes at end_ns with one message in flight per connection, as the rig does.
  double run(std::int64_t begin_ns, std::int64_t end_ns) override {
    measure::sleep_until_ns(begin_ns);
    const std::int64_t begin = measure::now_ns();
    std::uint64_t operations = 0;
    std::int64_t now = begin;
    epoll_event events[256];
    do {
      const int count = ::epoll_wait(epoll_, events, 256, 1000);
      for (int i = 0; i < count; ++i) {
        const int fd = events[i].data.fd;
        const ssize_t size = ::read(fd, buffer_.data(), buffer_.size());
        if (size <= 0) continue;
        std::size_t& got = got_[static_cast<std::size_t>(fd)];
        got += static_cast<std::size_t>(size);
        if (got < message_.size()) continue;
        got -= message_.size();
        ++operations;
        put(fd, message_.data(), message_.size());
      }
      now = measure::now_ns();
    } while (now < end_ns);
    return 1e9 * static_cast<double>(operations) / static_cast<double>(now - begin);
  }

 private:
  measure::PlacedBuffer message_, buffer_;
  pid_t server_ = -1;
  int epoll_ = -1;
  std::vector<int> fds_;
  std::vector<std::size_t> got_;  // bytes of the reply under way, by descriptor
};

}  // namespace

std::unique_ptr<Contestant> make_bare_echo(const Task& task) { return std::make_unique<BareEcho>(task); }

}  // namespace tlsrig::benchmarks
