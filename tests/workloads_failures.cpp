// Tests of what the workloads do when something goes wrong: faults of a backend are found and named, and a peer that
// vanishes ends every step.
#include <doctest/doctest.h>

#include <poll.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/net/socket.hpp>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::Transport;
using tests::failure_of;
using tests::has;

namespace {

// Long enough that every connection's first message meets the fault, however short of time the warm-up is.
constexpr std::size_t message_size = 8192;

workloads::Assignment faulty(scenario::Workload workload) {
  auto assignment = tests::assignment_for(tests::faulty_backend(), workload);
  assignment.settings.traffic.connections = 2;
  assignment.settings.traffic.message_size = assignment.settings.traffic.reply_size = message_size;
  return assignment;
}

tests::EchoRun run_with(const char* fault, Transport transport, std::uint32_t threads = 1, std::uint32_t pipeline = 1) {
  auto assignment = faulty(scenario::Workload::echo);
  assignment.settings.traffic.threads = threads;
  assignment.settings.traffic.pipeline = pipeline;
  assignment.settings.client.transport = assignment.settings.server.transport = transport;
  ::setenv("TLSRIG_FAULT", fault, 1);
  tests::EchoRun run = tests::run_echo(assignment);
  ::unsetenv("TLSRIG_FAULT");
  return run;
}

tests::RoleRun run_engine_with(const char* fault) {
  ::setenv("TLSRIG_FAULT", fault, 1);
  tests::RoleRun run = tests::run_engine(faulty(scenario::Workload::engine));
  ::unsetenv("TLSRIG_FAULT");
  return run;
}

// A client made by hand, which has said which connection it is.
net::Fd announced(std::uint16_t port, std::uint8_t connection = 0) {
  const std::array<std::uint8_t, 8> announcement{connection};
  net::Fd client = net::connect_local(port, {});
  REQUIRE(net::send(client.get(), announcement.data(), announcement.size()) == 8);
  return client;
}

// Both transports, for a test that is the same over each.
template <class Test>
void over_both(Test&& test) {
  for (const Transport transport : {Transport::fd, Transport::wire}) {
    CAPTURE(static_cast<int>(transport));
    test(transport);
  }
}

std::unique_ptr<workloads::Participant> server_for(Transport transport, const tests::Control& control,
                                                   std::uint32_t threads = 1, std::uint32_t pipeline = 1) {
  auto assignment = faulty(scenario::Workload::echo);
  assignment.role = "server";
  assignment.settings.server.transport = transport;
  assignment.settings.traffic.connections = assignment.settings.traffic.threads = threads;
  assignment.settings.traffic.pipeline = pipeline;
  assignment.control_fd = control.fd();
  return workloads::make_participant(assignment);
}

std::unique_ptr<workloads::Participant> client_for(Transport transport, std::uint32_t pipeline = 1) {
  auto assignment = faulty(scenario::Workload::echo);
  assignment.role = "client";
  assignment.settings.client.transport = transport;
  assignment.settings.traffic.connections = 1;
  assignment.settings.traffic.pipeline = pipeline;
  return workloads::make_participant(assignment);
}

void read_exactly(int fd, std::size_t size) {
  std::array<char, 65536> data;
  while (size) {
    pollfd poll{fd, POLLIN, 0};
    REQUIRE(::poll(&poll, 1, 5000) == 1);
    const ssize_t got = net::receive(fd, data.data(), std::min(size, data.size()));
    REQUIRE(got > 0);
    size -= static_cast<std::size_t>(got);
  }
}

net::Fd accept_one(net::Listener& listener) {
  pollfd poll{listener.fd(), POLLIN, 0};
  REQUIRE(::poll(&poll, 1, 5000) == 1);
  return listener.accept();
}

}  // namespace

TEST_SUITE("workloads.failures") {
  TEST_CASE("a backend without faults passes") {
    over_both([](Transport transport) {
      const tests::EchoRun run = run_with("none", transport);
      CHECK(run.client.failure == "");
      CHECK(run.server.failure == "");
    });
  }

  TEST_CASE("a turned bit is found, with connection, offset and both values") {
    over_both([](Transport transport) {
      const tests::EchoRun at_client = run_with("client:flip", transport);
      CHECK(at_client.client.kind == "payload");
      CHECK(has(at_client.client.failure, "connection"));
      CHECK(has(at_client.client.failure, "offset 5000: expected 0x"));
      const tests::EchoRun at_server = run_with("server:flip", transport);
      CHECK(at_server.server.kind == "payload");
      CHECK(has(at_server.server.failure, "offset 4992: expected 0x"));  // the announcement is no payload
    });
  }

  TEST_CASE("a lost byte is found") {
    over_both([](Transport transport) {
      CHECK(run_with("client:drop", transport).client.kind == "payload");
      CHECK(run_with("server:drop", transport).server.kind == "payload");
    });
  }

  TEST_CASE("an error in the traffic ends both sides, with the backend's words") {
    over_both([](Transport transport) {
      const tests::EchoRun run = run_with("server:die", transport);
      CHECK(run.server.kind == "truncated");
      CHECK(has(run.server.failure, "faulty server connection"));
      CHECK(has(run.server.failure, "died on purpose (warm-up)"));
      CHECK(run.client.failure != "");
    });
  }

  TEST_CASE("a loop that fails ends the other loops of its role, and its failure is the role's") {
    over_both([](Transport transport) {
      const tests::EchoRun at_server = run_with("server:first-die", transport, 2);
      CHECK(has(at_server.server.failure, "died on purpose (warm-up)"));
      CHECK(at_server.client.failure != "");
      const tests::EchoRun at_client = run_with("client:first-die", transport, 2);
      CHECK(has(at_client.client.failure, "died on purpose (warm-up)"));
      CHECK(at_client.server.failure != "");
    });
  }

  TEST_CASE("a loop whose peers are silent ends when another loop fails") {
    over_both([](Transport transport) {
      const tests::Control control;
      ::setenv("TLSRIG_FAULT", "server:first-die", 1);
      const auto server = server_for(transport, control, 2);
      const auto port = server->prepare().at("port").get<std::uint16_t>();
      ::unsetenv("TLSRIG_FAULT");
      const std::array<net::Fd, 2> clients{announced(port, 0), announced(port, 1)};
      server->connect({});
      control.signal();
      server->warm_up({});
      const std::array<char, message_size> message{};
      REQUIRE(net::send(clients[0].get(), message.data(), message.size()) == message_size);
      const std::int64_t now = measure::now_ns();
      CHECK(has(failure_of([&] { server->slice({now, now + 10'000'000'000}); }), "died on purpose (slice)"));
      CHECK(measure::now_ns() - now < 5'000'000'000);
      std::uint8_t nothing = 0;
      pollfd poll{clients[1].get(), POLLIN, 0};
      REQUIRE(::poll(&poll, 1, 1000) == 1);
      CHECK(net::receive(clients[1].get(), &nothing, 1) <= 0);  // the silent one sees an end too
    });
  }

  TEST_CASE("a server's write that wants input is repeated when there is some, not before") {
    over_both([](Transport transport) {
      const std::array<char, message_size> message{};
      const tests::Control control;
      ::setenv("TLSRIG_FAULT", "server:asks", 1);
      const auto server = server_for(transport, control, 1, 2);
      const auto port = server->prepare().at("port").get<std::uint16_t>();
      ::unsetenv("TLSRIG_FAULT");
      const net::Fd client = announced(port);
      server->connect({});
      control.signal();
      server->warm_up({});
      std::thread traffic([&] {
        for (int i = 0; i < 2; ++i) {
          CHECK(net::send(client.get(), message.data(), message.size()) == message_size);
          measure::sleep_until_ns(measure::now_ns() + 50'000'000);
        }
      });
      const std::int64_t now = measure::now_ns();
      std::uint64_t answered = 0;
      CHECK(failure_of([&] { answered = server->slice({now, now + 300'000'000}).operations; }) == "no failure");
      traffic.join();
      CHECK(answered == 2);
      read_exactly(client.get(), 2 * message_size);
    });
  }

  TEST_CASE("a client's write that wants input is repeated when there is some, not before") {
    over_both([](Transport transport) {
      const std::array<char, message_size> message{};
      ::setenv("TLSRIG_FAULT", "client:asks", 1);
      net::Listener listener({});
      const auto client = client_for(transport, 2);
      client->prepare();
      ::unsetenv("TLSRIG_FAULT");
      client->connect({{"port", listener.port()}});
      std::thread traffic([&] {
        const net::Fd server = accept_one(listener);
        read_exactly(server.get(), 8 + message_size);
        measure::sleep_until_ns(measure::now_ns() + 50'000'000);
        CHECK(net::send(server.get(), message.data(), message.size()) == message_size);
        read_exactly(server.get(), 2 * message_size);  // the one that waited, and the one that the reply made due
        measure::sleep_until_ns(measure::now_ns() + 300'000'000);
      });
      const std::int64_t now = measure::now_ns();
      std::uint64_t answered = 0;
      CHECK(failure_of([&] { answered = client->slice({now, now + 200'000'000}).operations; }) == "no failure");
      traffic.join();
      CHECK(answered == 1);
    });
  }

  TEST_CASE("writes that want input change no byte") {
    over_both([](Transport transport) {
      const tests::EchoRun run = run_with("client:asks", transport, 1, 2);
      CHECK(run.client.failure == "");
      CHECK(run.server.failure == "");
    });
  }

  TEST_CASE("an end of the stream in the middle of the traffic is a failure") {
    over_both([](Transport transport) {
      CHECK(run_with("client:close", transport).client.kind == "truncated");
      CHECK(run_with("server:close", transport).server.kind == "truncated");
    });
  }

  TEST_CASE("a failed handshake tells its kind, an unsupported one is no failure of the arm") {
    over_both([](Transport transport) {
      const tests::EchoRun refused = run_with("client:refuse", transport);
      CHECK(refused.client.kind == "certificate");
      CHECK(has(refused.client.failure, "faulty client connection 0: the certificate is not to my liking (handshake)"));
      CHECK(refused.server.failure != "");
      const tests::EchoRun unable = run_with("server:unable", transport);
      CHECK(unable.server.unsupported);
      CHECK(has(unable.server.failure, "cannot shake hands"));
    });
  }

  TEST_CASE("the engine finds the same faults") {
    CHECK(run_engine_with("none").failure == "");
    const tests::RoleRun flipped = run_engine_with("server:flip");
    CHECK(flipped.kind == "payload");
    CHECK(has(flipped.failure, "connection 0, offset 5000: expected 0x"));
    CHECK(run_engine_with("server:drop").kind == "payload");
    CHECK(run_engine_with("server:die").kind == "truncated");
    CHECK(run_engine_with("client:refuse").kind == "certificate");
    CHECK(run_engine_with("client:unable").unsupported);
  }

  TEST_CASE("a client that vanishes ends the server's steps") {
    over_both([](Transport transport) {
      const tests::Control control;
      SUBCASE("before it announced itself") {
        const auto server = server_for(transport, control);
        const auto port = server->prepare().at("port").get<std::uint16_t>();
        net::connect_local(port, {}).close();
        CHECK(failure_of([&] { server->connect({}); }).starts_with("truncated: faulty server connection 0"));
      }
      SUBCASE("in the middle of a message") {
        const auto server = server_for(transport, control);
        const auto port = server->prepare().at("port").get<std::uint16_t>();
        net::Fd client = announced(port);
        server->connect({});
        REQUIRE(net::send(client.get(), "hello", 5) == 5);
        client.close();
        CHECK(failure_of([&] { server->warm_up({}); }).find("connection 0") != std::string::npos);
      }
      SUBCASE("in a slice, between messages") {
        const auto server = server_for(transport, control);
        const auto port = server->prepare().at("port").get<std::uint16_t>();
        net::Fd client = announced(port);
        server->connect({});
        control.signal();
        server->warm_up({});
        const std::array<char, message_size> message{};
        REQUIRE(net::send(client.get(), message.data(), message.size()) == message_size);
        REQUIRE(net::send(client.get(), message.data(), 1000) == 1000);
        client.close();
        const std::int64_t now = measure::now_ns();
        CHECK(failure_of([&] { server->slice({now, now + 5'000'000'000}); }) != "no failure");
        CHECK(measure::now_ns() - now < 2'000'000'000);
      }
    });
  }

  TEST_CASE("a client that has vanished is noticed while the server waits for its other connections") {
    auto assignment = faulty(scenario::Workload::echo);
    const tests::Control control;
    assignment.role = "server";
    assignment.control_fd = control.fd();
    const auto server = workloads::make_participant(assignment);
    const auto port = server->prepare().at("port").get<std::uint16_t>();
    net::Fd client = announced(port);
    std::thread vanish([&] {
      measure::sleep_until_ns(measure::now_ns() + 20'000'000);
      client.close();
    });
    const std::string failure = failure_of([&] { server->connect({}); });
    vanish.join();
    CHECK(has(failure, "1 of 2 connections were made"));
  }

  TEST_CASE("a number that the client has used already is refused") {
    auto assignment = faulty(scenario::Workload::echo);
    const tests::Control control;
    assignment.role = "server";
    assignment.control_fd = control.fd();
    const auto server = workloads::make_participant(assignment);
    const auto port = server->prepare().at("port").get<std::uint16_t>();
    const std::array<net::Fd, 2> clients{announced(port), announced(port)};
    CHECK(failure_of([&] { server->connect({}); }).starts_with("protocol: "));
  }

  TEST_CASE("a client that sends more than may be in flight is found out") {
    const tests::Control control;
    const auto server = server_for(Transport::fd, control);
    const auto port = server->prepare().at("port").get<std::uint16_t>();
    const net::Fd client = announced(port);
    server->connect({});
    control.signal();
    server->warm_up({});
    const std::array<char, 3 * message_size> messages{};
    REQUIRE(net::send(client.get(), messages.data(), messages.size()) == 3 * message_size);
    const std::int64_t now = measure::now_ns();
    CHECK(has(failure_of([&] { server->slice({now, now + 1'000'000'000}); }), "more messages came in"));
  }

  TEST_CASE("a server that vanishes ends the client's steps") {
    over_both([](Transport transport) {
      net::Listener listener({});
      SUBCASE("at once") {
        const std::uint16_t port = net::Listener({}).port();
        const auto client = client_for(transport);
        client->prepare();
        CHECK(failure_of([&] { client->connect({{"port", port}}); }).starts_with("system: connect: "));
      }
      SUBCASE("in the warm-up") {
        const auto client = client_for(transport);
        client->prepare();
        client->connect({{"port", listener.port()}});
        std::thread vanish([&] {
          const net::Fd server = accept_one(listener);
          read_exactly(server.get(), 8 + message_size);
        });
        const std::int64_t now = measure::now_ns();
        const std::string failure = failure_of([&] { client->warm_up({now, now + 10'000'000'000}); });
        vanish.join();
        CHECK(has(failure, "faulty client connection 0"));
        CHECK(measure::now_ns() - now < 5'000'000'000);
      }
      SUBCASE("while replies are awaited after the warm-up") {
        const auto client = client_for(transport);
        client->prepare();
        client->connect({{"port", listener.port()}});
        std::thread vanish([&] {
          const net::Fd server = accept_one(listener);
          read_exactly(server.get(), 8 + message_size);
          measure::sleep_until_ns(measure::now_ns() + 50'000'000);
        });
        const std::int64_t now = measure::now_ns();
        const std::string failure = failure_of([&] { client->warm_up({now, now + 1'000'000}); });
        vanish.join();
        CHECK(has(failure, "faulty client connection 0"));
      }
    });
  }
}
