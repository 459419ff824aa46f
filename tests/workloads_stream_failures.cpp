// Tests of what source and sink do when something goes wrong: faults of a backend are found and named, and a peer that
// vanishes ends every step.
#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/net/socket.hpp>
#include <tlsrig/workloads/pattern.hpp>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::Direction;
using scenario::Transport;
using tests::failure_of;
using tests::has;

namespace {

constexpr std::size_t message_size = 8192;
constexpr std::int64_t ms = 1'000'000;

workloads::Assignment faulty(Direction direction, Transport transport, std::uint32_t connections = 2) {
  auto assignment = tests::assignment_for(tests::faulty_backend(), scenario::Workload::stream);
  scenario::TrafficSettings& traffic = assignment.settings.traffic;
  traffic.connections = connections;
  traffic.message_size = message_size;
  traffic.direction = direction;
  assignment.settings.client.transport = assignment.settings.server.transport = transport;
  return assignment;
}

// The fault is the sink's.
struct Faulted {
  tests::RoleRun source, sink;
};
Faulted run_with(const std::string& fault, Direction direction, Transport transport, std::uint32_t threads = 1) {
  auto assignment = faulty(direction, transport);
  assignment.settings.traffic.threads = threads;
  // More than sockets hold: a warm-up that could end before the sink has read anything would hear of no fault.
  assignment.settings.measure.warmup_bytes = 32 << 20;
  const bool client_sends = direction == Direction::to_server;
  ::setenv("TLSRIG_FAULT", ((client_sends ? "server:" : "client:") + fault).c_str(), 1);
  tests::PairRun run = tests::run_one_way(assignment);
  ::unsetenv("TLSRIG_FAULT");
  return {client_sends ? run.client : run.server, client_sends ? run.server : run.client};
}

template <class Test>
void every_way(Test&& test) {
  for (const Direction direction : {Direction::to_server, Direction::to_client})
    for (const Transport transport : {Transport::fd, Transport::wire}) {
      CAPTURE(static_cast<int>(direction));
      CAPTURE(static_cast<int>(transport));
      test(direction, transport);
    }
}

template <class Test>
void over_both(Test&& test) {
  for (const Transport transport : {Transport::fd, Transport::wire}) {
    CAPTURE(static_cast<int>(transport));
    test(transport);
  }
}

// Bytes of the stream to the server, of connection 0.
std::vector<std::uint8_t> pattern(std::size_t size, std::uint64_t offset = 0) {
  std::vector<std::uint8_t> bytes(size);
  workloads::Pattern(0, Direction::to_server).fill(bytes, offset);
  return bytes;
}

void send_all(const net::Fd& fd, const std::vector<std::uint8_t>& bytes) {
  REQUIRE(net::send(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

// A sink that is the server, and its source, a client made by hand.
struct Sink {
  explicit Sink(Transport transport) {
    auto assignment = faulty(Direction::to_server, transport, 1);
    assignment.role = "server";
    assignment.control_fd = control.fd();
    role = workloads::make_participant(assignment);
    const auto port = role->prepare().at("port").get<std::uint16_t>();
    source = net::connect_local(port, {});
    send_all(source, std::vector<std::uint8_t>(8));  // its number
    role->connect({});
  }
  void warm_up() {
    control.signal();
    role->warm_up({});
  }

  const tests::Control control;
  std::unique_ptr<workloads::Participant> role;
  net::Fd source;
};

// A source that is the client, and its sink, a server made by hand.
struct Source {
  Source(Transport transport, const char* fault = "none") {
    auto assignment = faulty(Direction::to_server, transport, 1);
    assignment.role = "client";
    ::setenv("TLSRIG_FAULT", (std::string("client:") + fault).c_str(), 1);
    role = workloads::make_participant(assignment);
    role->prepare();
    ::unsetenv("TLSRIG_FAULT");
    net::Listener listener({});
    role->connect({{"port", listener.port()}});
    pollfd poll{listener.fd(), POLLIN, 0};
    REQUIRE(::poll(&poll, 1, 5000) == 1);
    sink = listener.accept();
  }

  // Runs a step of so many milliseconds while the sink does something else.
  template <class Step, class AtSink>
  std::string during(Step&& step, std::int64_t milliseconds, AtSink&& at_sink) {
    std::thread other(at_sink);
    const std::int64_t now = measure::now_ns();
    const std::string failure = failure_of([&] { step(workloads::Slice{now, now + milliseconds * ms}); });
    took_ms = (measure::now_ns() - now) / ms;
    other.join();
    return failure;
  }

  std::unique_ptr<workloads::Participant> role;
  net::Fd sink;
  std::int64_t took_ms = 0;
};

void pause_ms(std::int64_t milliseconds) { measure::sleep_until_ns(measure::now_ns() + milliseconds * ms); }

// Reads for so long.
void read_for_ms(const net::Fd& fd, std::int64_t milliseconds) {
  std::array<char, 65536> data;
  for (const std::int64_t end = measure::now_ns() + milliseconds * ms; measure::now_ns() < end;) {
    pollfd poll{fd.get(), POLLIN, 0};
    if (::poll(&poll, 1, 1) == 1 && net::receive(fd.get(), data.data(), data.size()) == 0) return;
  }
}

}  // namespace

TEST_SUITE("workloads.failures") {
  TEST_CASE("stream: a backend without faults passes") {
    every_way([](Direction direction, Transport transport) {
      const Faulted run = run_with("none", direction, transport);
      CHECK(run.source.failure == "");
      CHECK(run.sink.failure == "");
    });
  }

  TEST_CASE("stream: a turned bit and a lost byte are found at the sink") {
    every_way([](Direction direction, Transport transport) {
      const Faulted flipped = run_with("flip", direction, transport);
      CHECK(flipped.sink.kind == "payload");
      // The announcement, which a server reads first, is no payload.
      CHECK(
          has(flipped.sink.failure, direction == Direction::to_server ? "offset 4992: expected 0x" : "offset 5000: "));
      CHECK(flipped.source.failure != "");
      CHECK(run_with("drop", direction, transport).sink.kind == "payload");
    });
  }

  TEST_CASE("stream: an error or an early end at the sink ends both sides") {
    every_way([](Direction direction, Transport transport) {
      const Faulted died = run_with("die", direction, transport);
      CHECK(died.sink.kind == "truncated");
      CHECK(has(died.sink.failure, "died on purpose (warm-up)"));
      CHECK(died.source.failure != "");
      const Faulted ended = run_with("close", direction, transport);
      CHECK(ended.sink.kind == "truncated");
      CHECK(has(ended.sink.failure, "the peer ended the stream in the middle of the traffic"));
      CHECK(ended.source.failure != "");
    });
  }

  TEST_CASE("stream: a loop that fails ends the other loops of its role") {
    every_way([](Direction direction, Transport transport) {
      const Faulted run = run_with("first-die", direction, transport, 2);
      CHECK(has(run.sink.failure, "died on purpose (warm-up)"));
      CHECK(run.source.failure != "");
    });
  }

  TEST_CASE("stream: a write that wants input is repeated when there is some, not before") {
    over_both([](Transport transport) {
      Source source(transport, "nods");
      std::size_t before = 0, after = 0;
      const auto read_on = [&](std::size_t& got, int timeout_ms) {
        std::array<char, 65536> data;
        pollfd poll{source.sink.get(), POLLIN, 0};
        while (::poll(&poll, 1, timeout_ms) == 1) {
          const ssize_t size = net::receive(source.sink.get(), data.data(), data.size());
          if (size <= 0) return;
          got += static_cast<std::size_t>(size);
        }
      };
      const std::string failure = source.during([&](const workloads::Slice& slice) { source.role->slice(slice); }, 150,
                                                [&] {
                                                  read_on(before, 50);
                                                  CHECK(net::send(source.sink.get(), "!", 1) == 1);
                                                  read_on(after, 100);
                                                });
      CHECK(failure == "no failure");
      CHECK(before == 8 + message_size);
      CHECK(after > 10 * message_size);
    });
  }

  TEST_CASE("stream: a sink that vanishes, says the end or is silent") {
    over_both([](Transport transport) {
      const auto slice_of = [](Source& source) {
        return [&](const workloads::Slice& slice) { source.role->slice(slice); };
      };
      SUBCASE("vanishes while the source is blocked in a slice") {
        Source source(transport);
        const std::string failure = source.during(slice_of(source), 5000, [&] {
          pause_ms(50);
          source.sink.close();
        });
        CHECK(has(failure, "faulty client connection 0"));
        CHECK(source.took_ms < 2000);
      }
      SUBCASE("vanishes in the warm-up while it reads") {
        Source source(transport);
        const std::string failure =
            source.during([&](const workloads::Slice& slice) { source.role->warm_up(slice); }, 5000,
                          [&] {
                            read_for_ms(source.sink, 50);
                            source.sink.close();
                          });
        CHECK(has(failure, "faulty client connection 0"));
        CHECK(source.took_ms < 2000);
      }
      SUBCASE("ends its direction alone") {
        Source source(transport);
        const std::string failure = source.during(slice_of(source), 5000, [&] {
          pause_ms(50);
          net::end_output(source.sink.get());
          pause_ms(50);
        });
        CHECK(failure.starts_with("truncated: faulty client connection 0"));
        CHECK(source.took_ms < 2000);
      }
      SUBCASE("reads nothing: the slice ends in time, and the next one sends the rest of the write") {
        Source source(transport);
        CHECK(source.during(slice_of(source), 50, [] {}) == "no failure");
        CHECK(source.took_ms < 500);
        CHECK(source.during(slice_of(source), 50, [&] { read_for_ms(source.sink, 60); }) == "no failure");
      }
      SUBCASE("sends payload") {
        Source source(transport);
        CHECK(source.during(slice_of(source), 10, [&] { read_for_ms(source.sink, 20); }) == "no failure");
        CHECK(net::send(source.sink.get(), "surplus", 7) == 7);
        const std::string failure = source.during([&](const workloads::Slice&) { source.role->finish(); }, 0,
                                                  [&] { read_for_ms(source.sink, 1000); });
        CHECK(failure.starts_with("payload: faulty client connection 0"));
      }
    });
  }

  TEST_CASE("stream: a source that vanishes ends the sink's steps") {
    over_both([](Transport transport) {
      Sink sink(transport);
      send_all(sink.source, pattern(message_size + 100));
      SUBCASE("in the warm-up") {
        sink.source.close();
        CHECK(failure_of([&] { sink.role->warm_up({}); }).starts_with("truncated: faulty server connection 0"));
      }
      SUBCASE("while the rest of the warm-up is awaited") {
        sink.warm_up();
        sink.source.close();
        CHECK(failure_of([&] { sink.role->settle(2 * message_size); }).starts_with("truncated: "));
      }
      SUBCASE("in a slice") {
        sink.warm_up();
        sink.role->settle(message_size + 100);
        sink.source.close();
        const std::int64_t now = measure::now_ns();
        CHECK(failure_of([&] { sink.role->slice({now, now + 5000 * ms}); }).starts_with("truncated: "));
        CHECK(measure::now_ns() - now < 2000 * ms);
      }
      SUBCASE("in the middle of the last message") {
        sink.warm_up();
        sink.role->settle(message_size + 100);
        sink.source.close();
        CHECK(has(failure_of([&] { sink.role->finish(); }), "in the middle of a message (finish)"));
      }
    });
  }

  TEST_CASE("stream: the warm-up is settled to the byte") {
    over_both([](Transport transport) {
      Sink sink(transport);
      sink.warm_up();
      SUBCASE("what is still to come is awaited and verified") {
        std::thread late([&] {
          pause_ms(50);
          send_all(sink.source, pattern(2 * message_size));
        });
        CHECK(sink.role->settle(2 * message_size).at("bytes_verified") == 2 * message_size);
        late.join();
      }
      SUBCASE("a wrong byte of it is found") {
        std::vector<std::uint8_t> bytes = pattern(2 * message_size);
        bytes[message_size + 7] ^= 1;
        send_all(sink.source, bytes);
        CHECK(has(failure_of([&] { sink.role->settle(2 * message_size); }), "offset 8199: expected 0x"));
      }
      SUBCASE("a byte too many is one") {
        send_all(sink.source, pattern(2 * message_size + 1));
        CHECK(failure_of([&] { sink.role->settle(2 * message_size); }).starts_with("payload: "));
      }
      SUBCASE("a byte too many that comes by itself is one") {
        send_all(sink.source, pattern(message_size));
        CHECK(sink.role->settle(message_size).at("bytes_verified") == message_size);
        send_all(sink.source, pattern(1, message_size));
        CHECK(failure_of([&] { sink.role->settle(message_size); }).starts_with("payload: "));
      }
    });
  }

  TEST_CASE("stream: settings that it does not offer are refused") {
    const auto refusal = [](auto&& change) {
      auto assignment = faulty(Direction::to_server, Transport::fd);
      assignment.role = "client";
      change(assignment.settings);
      return failure_of([&] { workloads::make_participant(assignment); });
    };
    CHECK(refusal([](auto&) {}) == "no failure");
    CHECK(has(refusal([](auto& settings) { settings.traffic.write = scenario::WriteStrategy::batched; }),
              "config: stream: traffic.write = \"batched\" needs the source's transport to be \"wire\""));
    CHECK(has(refusal([](auto& settings) { settings.traffic.threads = 3; }), "threads is larger than connections"));
    CHECK(has(refusal([](auto& settings) { settings.traffic.rate = 10; }), "traffic.rate"));
  }
}
