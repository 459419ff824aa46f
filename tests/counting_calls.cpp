// Tests of the counted calls of core/net: each of the ten, what counts and what does not.
#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <tlsrig/net/counted_calls.hpp>
#include <tlsrig/net/fd.hpp>
#include <tlsrig/net/socket.hpp>
#include <tlsrig/workloads/sockets/counted_socket.hpp>

using namespace tlsrig;

namespace {

struct Pair {
  Pair() {
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()) == 0);
    near = net::Fd(fds[0]);
    far = net::Fd(fds[1]);
  }
  net::Fd near, far;
};

// Keeps what it was shown.
struct Keeper final : net::Observer {
  void received(std::span<const std::uint8_t> bytes) noexcept override { in.append(bytes.begin(), bytes.end()); }
  void sent(std::span<const std::uint8_t> bytes) noexcept override { out.append(bytes.begin(), bytes.end()); }
  std::string in, out;
};

bool operator==(const net::SocketCounts& left, const net::SocketCounts& right) {
  return left.reads == right.reads && left.writes == right.writes && left.bytes_in == right.bytes_in &&
         left.bytes_out == right.bytes_out;
}

void give(const net::Fd& fd, const std::string& text) { REQUIRE(::send(fd.get(), text.data(), text.size(), 0) > 0); }

}  // namespace

TEST_SUITE("counting.calls") {
  TEST_CASE("each of the ten calls counts, and its bytes are shown in order") {
    const Pair pair;
    Keeper keeper;
    const net::Watch watch(pair.near.get(), &keeper);
    const int fd = pair.near.get();
    char first[3] = {}, second[8] = {};
    iovec buffers[2] = {{first, sizeof first}, {second, sizeof second}};
    msghdr message{};
    message.msg_iov = buffers;
    message.msg_iovlen = 2;

    give(pair.far, "read");
    CHECK(::read(fd, second, sizeof second) == 4);
    give(pair.far, "readv");
    CHECK(::readv(fd, buffers, 2) == 5);
    give(pair.far, "recv");
    CHECK(::recv(fd, second, sizeof second, 0) == 4);
    give(pair.far, "recvfrom");
    CHECK(::recvfrom(fd, second, sizeof second, 0, nullptr, nullptr) == 8);
    give(pair.far, "recvmsg");
    CHECK(::recvmsg(fd, &message, 0) == 7);
    CHECK(std::string(first, 3) + std::string(second, 4) == "recvmsg");
    CHECK(keeper.in == "readreadvrecvrecvfromrecvmsg");

    CHECK(::write(fd, "write", 5) == 5);
    char parts[] = "writevsendmsg";
    iovec out[2] = {{parts, 2}, {parts + 2, 4}};
    CHECK(::writev(fd, out, 2) == 6);
    CHECK(::send(fd, "send", 4, 0) == 4);
    CHECK(::sendto(fd, "sendto", 6, 0, nullptr, 0) == 6);
    iovec last[2] = {{parts + 6, 0}, {parts + 6, 7}};
    message.msg_iov = last;
    CHECK(::sendmsg(fd, &message, 0) == 7);
    CHECK(keeper.out == "writewritevsendsendtosendmsg");

    CHECK(watch.counts() == net::SocketCounts{5, 5, 28, 28});
    std::string all(64, ' ');
    CHECK(::read(pair.far.get(), all.data(), all.size()) == 28);
    CHECK(all.substr(0, 28) == keeper.out);
  }

  TEST_CASE("a call that gives EAGAIN is a call, an end is one without bytes, and errno stays") {
    Pair pair;
    Keeper keeper;
    const net::Watch watch(pair.near.get(), &keeper);
    char byte = 0;
    errno = 0;
    CHECK(::recv(pair.near.get(), &byte, 1, 0) == -1);
    CHECK(errno == EAGAIN);
    CHECK(watch.counts() == net::SocketCounts{1, 0, 0, 0});
    const std::string much(1 << 16, 'x');
    std::uint64_t sent = 0, calls = 0;
    for (ssize_t part = 0; part >= 0; ++calls)
      if ((part = ::write(pair.near.get(), much.data(), much.size())) > 0) sent += static_cast<std::uint64_t>(part);
    CHECK(errno == EAGAIN);
    CHECK(watch.counts() == net::SocketCounts{1, calls, 0, sent});
    CHECK(keeper.out.size() == sent);
    std::string rest(sent, ' ');
    for (std::uint64_t got = 0; got < sent;)
      got += static_cast<std::uint64_t>(::read(pair.far.get(), rest.data(), sent));
    pair.far.close();
    CHECK(::read(pair.near.get(), &byte, 1) == 0);
    CHECK(watch.counts().reads == 2);
    CHECK(watch.counts().bytes_in == 0);
  }

  TEST_CASE("bytes that are only looked at are not counted as bytes") {
    const Pair pair;
    Keeper keeper;
    const net::Watch watch(pair.near.get(), &keeper);
    give(pair.far, "look");
    char data[4] = {};
    CHECK(::recv(pair.near.get(), data, 4, MSG_PEEK) == 4);
    CHECK(watch.counts() == net::SocketCounts{1, 0, 0, 0});
    CHECK(keeper.in.empty());
    CHECK(::recv(pair.near.get(), data, 4, 0) == 4);
    CHECK(watch.counts() == net::SocketCounts{2, 0, 4, 0});
    CHECK(keeper.in == "look");
  }

  TEST_CASE("bytes that are thrown away unseen are not shown: the kernel's count tells that they are missing") {
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    net::Fd server;
    while (!server) server = listener.accept();
    Keeper keeper;
    const net::Watch watch(client.get(), &keeper);
    give(server, "gone");
    char data[4] = {};
    CHECK(::recv(client.get(), data, 4, MSG_TRUNC) == 4);
    CHECK(watch.counts() == net::SocketCounts{1, 0, 0, 0});
    CHECK(keeper.in.empty());
    const auto moved = net::stream_bytes(client.get());
    REQUIRE(moved);
    CHECK(moved->in == 4);
  }

  TEST_CASE("who has missed bytes of a connection is no witness of its handshake") {
    net::Listener listener({});
    const workloads::CountedSocket plain(net::connect_local(listener.port(), {}), TLSRIG_CLIENT, true);
    CHECK_FALSE(plain.reader());
    const workloads::CountedSocket socket(net::connect_local(listener.port(), {}), TLSRIG_CLIENT, false);
    CHECK(::write(socket.get(), "seen", 4) == 4);
    CHECK(socket.reader());
    CHECK(::syscall(SYS_write, socket.get(), "unseen", 6) == 6);
    CHECK_FALSE(socket.reader());
  }

  TEST_CASE("only what is watched is counted, from then on and no longer") {
    const Pair pair, other;
    give(pair.near, "before");
    {
      const net::Watch watch(pair.near.get(), nullptr);
      give(other.near, "other");
      give(pair.far, "far");
      CHECK(watch.counts() == net::SocketCounts{});
      give(pair.near, "counted");
      CHECK(watch.counts() == net::SocketCounts{0, 1, 0, 7});
    }
    give(pair.near, "after");
    const net::Watch anew(pair.near.get(), nullptr);
    CHECK(anew.counts() == net::SocketCounts{});
    CHECK(::write(-1, "x", 1) == -1);
    CHECK(errno == EBADF);
  }

  TEST_CASE("an observer that was let go sees nothing, and counting goes on") {
    const Pair pair;
    Keeper keeper;
    net::Watch watch(pair.near.get(), &keeper);
    give(pair.near, "seen");
    watch.let_observer_go();
    give(pair.near, "unseen");
    CHECK(keeper.out == "seen");
    CHECK(watch.counts() == net::SocketCounts{0, 2, 0, 10});
  }

  TEST_CASE("a descriptor beyond the table is refused with its number") {
    for (const int fd : {1 << 20, -1}) {
      std::string text;
      try {
        const net::Watch watch(fd, nullptr);
      } catch (const std::system_error& error) {
        text = error.what();
      }
      CHECK(text.find("descriptor " + std::to_string(fd) + " cannot be counted") != std::string::npos);
    }
  }

  TEST_CASE("the kernel's own count is that of a TCP connection, and of nothing else") {
    const Pair pair;
    CHECK_FALSE(net::stream_bytes(pair.near.get()));
    net::Listener listener({});
    const net::Fd client = net::connect_local(listener.port(), {});
    net::Fd server;
    while (!server) server = listener.accept();
    const net::Watch near(client.get(), nullptr), far(server.get(), nullptr);
    const auto agree = [&] {
      for (const auto& [fd, watch] : {std::pair(client.get(), &near), std::pair(server.get(), &far)}) {
        const auto moved = net::stream_bytes(fd);
        REQUIRE(moved);
        CHECK(moved->in == watch->counts().bytes_in);
        CHECK(moved->out == watch->counts().bytes_out);
      }
    };
    agree();
    const std::string much(100'000, 'x');
    std::string taken(33'333, ' ');
    for (int i = 0; i < 100; ++i) net::send(client.get(), much.data(), much.size());  // until nothing more fits
    net::receive(server.get(), taken.data(), taken.size());
    net::send(server.get(), "answer", 6);
    agree();
    CHECK(near.counts().bytes_out > 100'000);
    CHECK(far.counts().bytes_in == taken.size());
    net::end_output(server.get());
    while (net::receive(client.get(), taken.data(), 1) != 0) {
    }
    agree();
  }
}
