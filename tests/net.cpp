// Tests of core/net: descriptors are owned, sockets set up, errors named, events delivered.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include <array>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/net/epoll.hpp>
#include <tlsrig/net/socket.hpp>
#include <tlsrig/net/timer.hpp>

using namespace tlsrig;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

net::Fd accept_one(net::Listener& listener) {
  pollfd poll{listener.fd(), POLLIN, 0};
  REQUIRE(::poll(&poll, 1, 5000) == 1);
  net::Fd fd = listener.accept();
  REQUIRE(fd);
  return fd;
}

void wait_readable(int fd) {
  pollfd poll{fd, POLLIN, 0};
  REQUIRE(::poll(&poll, 1, 5000) == 1);
}

// The text of the std::system_error that a call throws.
template <class Call>
std::string failure_of(Call&& call) {
  try {
    call();
  } catch (const std::system_error& error) {
    return error.what();
  }
  return "no failure";
}

}  // namespace

TEST_SUITE("net.descriptors") {
  TEST_CASE("a descriptor is closed once, by its last owner") {
    const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(raw >= 0);
    {
      net::Fd first(raw);
      net::Fd second(std::move(first));
      CHECK_FALSE(first);
      CHECK(second.get() == raw);
      net::Fd third;
      third = std::move(second);
      CHECK(third.get() == raw);
      CHECK(is_open(raw));
    }
    CHECK_FALSE(is_open(raw));
  }
}

TEST_SUITE("net.sockets") {
  TEST_CASE("both ends are non-blocking, set up, and carry bytes") {
    const net::SocketOptions options{true, 100'000, 200'000};
    net::Listener listener(options);
    CHECK(listener.port() != 0);
    CHECK_FALSE(listener.accept());
    const net::Fd client = net::connect_local(listener.port(), options);
    const net::Fd server = accept_one(listener);
    for (const int fd : {client.get(), server.get()}) {
      CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
      const net::SocketState state = net::socket_state(fd);
      CHECK(state.nodelay);
      CHECK(state.send_buffer >= 100'000);
      CHECK(state.receive_buffer >= 200'000);
      CHECK_FALSE(state.congestion_control.empty());
    }
    CHECK(net::socket_state(client.get()).congestion_control == net::socket_state(server.get()).congestion_control);

    std::array<char, 16> data{};
    CHECK(net::receive(server.get(), data.data(), data.size()) == -1);
    CHECK(net::would_block(errno));
    CHECK(net::send(client.get(), "hello", 5) == 5);
    wait_readable(server.get());
    CHECK(net::receive(server.get(), data.data(), data.size()) == 5);
    CHECK(std::string(data.data(), 5) == "hello");

    net::end_output(client.get());
    wait_readable(server.get());
    CHECK(net::receive(server.get(), data.data(), data.size()) == 0);
    CHECK(net::send(server.get(), "still", 5) == 5);
    wait_readable(client.get());
    CHECK(net::receive(client.get(), data.data(), data.size()) == 5);
  }

  TEST_CASE("the kernel's defaults are kept when nothing is asked") {
    net::Listener listener({false, 0, 0});
    const net::Fd client = net::connect_local(listener.port(), {false, 0, 0});
    CHECK_FALSE(net::socket_state(client.get()).nodelay);
  }

  TEST_CASE("a peer that is gone gives an errno, not a signal") {
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    accept_one(listener).close();
    wait_readable(client.get());
    errno = 0;
    ssize_t sent = 0;
    for (int i = 0; i < 1000 && sent >= 0; ++i) sent = net::send(client.get(), "x", 1);
    CHECK(sent == -1);
    CHECK((errno == EPIPE || errno == ECONNRESET));
  }

  TEST_CASE("abandoning ends both directions for the peer") {
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    const net::Fd server = accept_one(listener);
    net::abandon(server.get());
    wait_readable(client.get());
    char byte = 0;
    CHECK(net::receive(client.get(), &byte, 1) == 0);
  }

  TEST_CASE("a reset is no end to the peer, whatever was sent before it") {
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    const net::Fd server = accept_one(listener);
    REQUIRE(net::send(server.get(), "x", 1) == 1);
    net::reset(server.get());
    char byte = 0;
    CHECK(net::receive(client.get(), &byte, 1) == 1);  // it had arrived
    CHECK(net::receive(client.get(), &byte, 1) == -1);
    CHECK(errno == ECONNRESET);
  }

  TEST_CASE("a refused connection names the address") {
    std::uint16_t port = 0;
    {
      const net::Listener listener({});
      port = listener.port();
    }
    const std::string text = failure_of([&] { net::connect_local(port, {}); });
    CHECK(text.find("127.0.0.1:" + std::to_string(port)) != std::string::npos);
  }

  TEST_CASE("running out of descriptors says so, with the limit and the cure") {
    net::Listener listener({});
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit few{32, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    std::vector<net::Fd> connections;
    const std::string text = failure_of([&] {
      for (int i = 0; i < 64; ++i) connections.push_back(net::connect_local(listener.port(), {}));
    });
    ::setrlimit(RLIMIT_NOFILE, &before);
    CHECK(text.find("EMFILE") != std::string::npos);
    CHECK(text.find("32 descriptors") != std::string::npos);
    CHECK(text.find("ulimit -n") != std::string::npos);
  }
}

TEST_SUITE("net.events") {
  TEST_CASE("an event names its owner, is level-triggered and can be changed") {
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    const net::Fd server = accept_one(listener);
    net::Epoll epoll;
    std::array<epoll_event, 4> events;
    int owner = 0;
    epoll.add(server.get(), EPOLLIN, &owner);
    CHECK(epoll.wait(events, 0) == 0);
    REQUIRE(net::send(client.get(), "x", 1) == 1);
    for (int i = 0; i < 2; ++i) {
      REQUIRE(epoll.wait(events, 5000) == 1);
      CHECK(static_cast<void*>(events[0].data.ptr) == &owner);
      CHECK((events[0].events & EPOLLIN) != 0);
    }
    epoll.modify(server.get(), EPOLLOUT, &owner);
    REQUIRE(epoll.wait(events, 5000) == 1);
    CHECK(std::uint32_t{events[0].events} == EPOLLOUT);
    epoll.remove(server.get());
    CHECK(epoll.wait(events, 0) == 0);
    CHECK(failure_of([&] { epoll.remove(server.get()); }).find("epoll_ctl") != std::string::npos);
  }

  TEST_CASE("a timer is readable from its instant on, until it is set anew or disarmed") {
    net::Timer timer;
    net::Epoll epoll;
    std::array<epoll_event, 1> events;
    epoll.add(timer.fd(), EPOLLIN, nullptr);
    CHECK(epoll.wait(events, 0) == 0);
    const std::int64_t at = measure::now_ns() + 2'000'000;
    timer.set(at);
    REQUIRE(epoll.wait(events, 5000) == 1);
    CHECK(measure::now_ns() >= at);
    CHECK(epoll.wait(events, 0) == 1);
    timer.set(measure::now_ns() + 3'600'000'000'000);
    CHECK(epoll.wait(events, 0) == 0);
    timer.set(1);  // long past
    CHECK(epoll.wait(events, 5000) == 1);
    timer.disarm();
    CHECK(epoll.wait(events, 0) == 0);
  }
}
