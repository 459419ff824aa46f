// Tests of how a relay passes ends and failures on, with the backend under test, and of echo through it.
#include <doctest/doctest.h>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include <tlsrig/host/context.hpp>

#include "workloads_relay_support.hpp"

using namespace tlsrig;
using scenario::RelayRead;
using scenario::Transport;
using tests::Chain;
using tests::ChainOptions;
using tests::FarEnd;
using tests::has;

namespace {

// TLS on both legs, where the backend has it, over both transports.
template <class Test>
void over_both(Test&& test) {
  for (const Transport transport : {Transport::fd, Transport::wire}) {
    CAPTURE(static_cast<int>(transport));
    ChainOptions options;
    options.transport = transport;
    test(options);
  }
}

void check_half_close(const ChainOptions& options) {
  for (const bool client_first : {true, false}) {
    CAPTURE(client_first);
    Chain chain(options);
    chain.run();
    FarEnd& first = client_first ? *chain.clients[0] : *chain.servers[0];
    FarEnd& second = client_first ? *chain.servers[0] : *chain.clients[0];
    first.send(100'000, 5000, true);
    second.answer_end(1 << 20, 16384);
    CHECK(chain.pump([&] { return first.closed() && second.closed(); }));
    CHECK(first.failure() == "");
    CHECK(second.failure() == "");
    CHECK(second.received() == 100'000);
    CHECK(first.received() == 1 << 20);
    chain.finish();
    CHECK(chain.failure() == "");
  }
}

// What a test does to the socket of a far end.
struct Mishap {
  const char* name;
  bool needs_tls;
  void (*happen)(int fd);
  const char* kind;
};

void send_raw(int fd, const std::string& bytes) { REQUIRE(net::send(fd, bytes.data(), bytes.size()) > 0); }

const std::array mishaps{Mishap{"garbage", true, [](int fd) { send_raw(fd, std::string(4000, 'x')); }, ""},
                         Mishap{"reset", false, [](int fd) { net::reset(fd); }, ""},
                         Mishap{"half a record, then the end", true,
                                [](int fd) {
                                  send_raw(fd, std::string("\x17\x03\x03\x10\x00", 5) + std::string(100, 'x'));
                                  net::end_output(fd);
                                },
                                "truncated"},
                         Mishap{"an end without close_notify", true, [](int fd) { net::end_output(fd); }, "truncated"}};

constexpr std::size_t victim = 3;

// One of eight connections meets a mishap in the midst of traffic; the others shall not notice.
void check_mishap(const ChainOptions& options, const Mishap& mishap, bool at_client) {
  Chain chain(options);
  chain.run();
  const auto others = [&](auto&& test) {
    for (std::size_t i = 0; i < chain.clients.size(); ++i)
      if (i != victim && !test(*chain.clients[i], *chain.servers[i])) return false;
    return true;
  };
  for (auto* ends : {&chain.clients, &chain.servers})
    for (auto& end : *ends) end->send(200'000, 3000, false);
  CHECK(chain.pump([&] {
    return others([](FarEnd& client, FarEnd& server) { return client.received() + server.received() > 20'000; });
  }));
  FarEnd& harmed = at_client ? *chain.clients[victim] : *chain.servers[victim];
  FarEnd& beyond = at_client ? *chain.servers[victim] : *chain.clients[victim];
  // Between two records of its own: what comes next is no part of one.
  CHECK(chain.pump([&] { return harmed.sent_all() && beyond.received() == 200'000; }));
  harmed.gone = true;
  mishap.happen(harmed.fd());
  CHECK(chain.pump([&] { return !beyond.failure().empty() || beyond.closed(); }));
  CHECK(!beyond.closed());
  CHECK(chain.pump([&] {
    return others(
        [](FarEnd& client, FarEnd& server) { return client.received() == 200'000 && server.received() == 200'000; });
  }));
  for (std::size_t i = 0; i < chain.clients.size(); ++i)
    if (i != victim) {
      chain.clients[i]->send(0, 1, true);
      chain.servers[i]->answer_end(0, 1);
    }
  CHECK(chain.pump(
      [&] { return others([](FarEnd& client, FarEnd& server) { return client.closed() && server.closed(); }); }));
  CHECK(others([](FarEnd& client, FarEnd& server) { return client.failure().empty() && server.failure().empty(); }));
  chain.finish();
  CHECK(has(chain.failure(), at_client ? "relay_inbound connection 3: " : "relay_outbound connection 3: "));
  CHECK(!has(chain.failure(), "connections of the relay failed"));  // it was one
  CHECK(chain.failure_kind() != "");
  if (*mishap.kind) CHECK(chain.failure_kind() == mishap.kind);
}

workloads::Assignment relayed_echo(Transport transport, RelayRead read) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::echo);
  scenario::Settings& settings = assignment.settings;
  settings.traffic.connections = 4;
  settings.traffic.message_size = 3000;
  settings.traffic.reply_size = 20'000;
  settings.relay.present = true;
  settings.relay.outbound = scenario::LegProtocol::tls;
  settings.relay.read = read;
  settings.relay.transport = transport;
  return assignment;
}

// The three roles of echo in threads of this process, each with the steps that the rig asks of it.
struct RelayedEcho {
  workloads::Json client, relay, server;
  std::uint64_t operations = 0, forwarded = 0;
  std::string failure;
};

RelayedEcho run_relayed_echo(const workloads::Assignment& assignment) {
  RelayedEcho run;
  const tests::Control control, relay_control;
  const auto role = [&](const char* name, const tests::Control& told_by) {
    workloads::Assignment one = assignment;
    one.role = name;
    one.control_fd = told_by.fd();
    return workloads::make_participant(one);
  };
  const auto client = role("client", control), relay = role("relay", relay_control), server = role("server", control);
  const auto side_by_side = [&](const std::vector<std::function<void()>>& steps) {
    std::vector<std::future<void>> running;
    for (const auto& step : steps) running.push_back(std::async(std::launch::async, step));
    for (auto& one : running) try {
        one.get();
      } catch (const std::exception& error) {
        run.failure = error.what();
      }
  };
  client->prepare();
  const workloads::Json server_port = server->prepare(), relay_port = relay->prepare();
  side_by_side(
      {[&] { server->connect({}); }, [&] { relay->connect(server_port); }, [&] { client->connect(relay_port); }});
  const std::int64_t now = measure::now_ns();
  side_by_side({[&] { server->warm_up({}); }, [&] { relay->warm_up({}); },
                [&] {
                  client->warm_up({now, now + 10'000'000});
                  control.signal();
                  relay_control.signal();
                }});
  for (int i = 0; i < 5; ++i) {
    const std::int64_t begin = measure::now_ns() + 1'000'000;
    const workloads::Slice slice{begin, begin + 8'000'000};
    side_by_side({[&] { server->slice(slice); }, [&] { run.forwarded += relay->slice(slice).operations; },
                  [&] { run.operations += client->slice(slice).operations; }});
  }
  side_by_side({[&] { run.server = server->finish(); }, [&] { run.relay = relay->finish(); },
                [&] { run.client = client->finish(); }});
  return run;
}

}  // namespace

TEST_SUITE("workloads.relay") {
  TEST_CASE("a half-close is passed on, and 1 MiB of answer comes after it") {
    for (const char* version : {"1.3", "1.2"})
      for (const bool inbound : {true, false})
        for (const bool outbound : {true, false}) {
          if (tests::backend_under_test().plain() && (inbound || outbound)) continue;
          CAPTURE(version);
          CAPTURE(inbound);
          CAPTURE(outbound);
          over_both([&](ChainOptions options) {
            options.version = version;
            options.inbound_tls = inbound;
            options.outbound_tls = outbound;
            options.read = inbound ? RelayRead::per_record : RelayRead::drain;
            check_half_close(options);
          });
        }
  }

  TEST_CASE("a connection that fails harms no other, and is told with its leg and number") {
    const bool plain = tests::backend_under_test().plain();
    for (const Mishap& mishap : mishaps)
      for (const bool at_client : {true, false}) {
        if (plain && mishap.needs_tls) continue;
        CAPTURE(mishap.name);
        CAPTURE(at_client);
        over_both([&](ChainOptions options) {
          options.connections = 8;
          options.threads = 2;
          options.inbound_tls = options.outbound_tls = !plain;
          check_mishap(options, mishap, at_client);
          if (plain) return;
          // The end beyond has no TLS: it must not see an orderly end either.
          (at_client ? options.outbound_tls : options.inbound_tls) = false;
          check_mishap(options, mishap, at_client);
        });
      }
  }

  TEST_CASE("a warm-up in which a connection fails ends within 100 ms, and tells of all") {
    over_both([](ChainOptions options) {
      options.connections = 4;
      options.threads = 2;
      Chain chain(options);
      for (const std::size_t i : {1u, 2u}) net::reset(chain.clients[i]->fd());
      const std::int64_t now = measure::now_ns();
      std::string failure;
      try {
        chain.relay().warm_up({});
      } catch (const workloads::StepError& error) {
        failure = error.what();
      }
      CHECK(measure::now_ns() - now < 1'000'000'000);  // 100 ms, on a machine with other work
      CHECK(has(failure, "relay_inbound connection "));
      CHECK(has(failure, "(warm-up); 2 connections of the relay failed: 2 system"));
      for (const std::size_t i : {1u, 2u}) chain.clients[i]->gone = true;
    });
  }

  TEST_CASE("echo through a relay") {
    for (const RelayRead read : {RelayRead::per_record, RelayRead::coalesce, RelayRead::pending, RelayRead::spin})
      over_both([&](const ChainOptions& options) {
        CAPTURE(static_cast<int>(read));
        const auto assignment = relayed_echo(options.transport, read);
        const RelayedEcho run = run_relayed_echo(assignment);
        REQUIRE(run.failure == "");
        // Spinning over a wire reads most bytes one by one: slices can be too short for a reply.
        CHECK((run.operations > 0 || read == RelayRead::spin));
        CHECK((run.forwarded > 0 || read == RelayRead::spin));
        CHECK(run.client.at("payload_bytes_out") == run.server.at("payload_bytes_in"));
        CHECK(run.client.at("payload_bytes_in") == run.server.at("payload_bytes_out"));
        CHECK(run.relay.at("messages") == run.server.at("messages"));
        const auto bytes = run.client.at("payload_bytes_in").get<std::uint64_t>() +
                           run.client.at("payload_bytes_out").get<std::uint64_t>();
        CHECK(run.relay.at("payload_bytes_in") == bytes);
        CHECK(run.relay.at("payload_bytes_out") == bytes);
        const bool plain = tests::backend_under_test().plain();
        for (const char* part : {"relay_inbound", "relay_outbound"}) {
          const workloads::Json& counts = run.relay.at("counts").at(part);
          CHECK(counts.at("operations").get<std::uint64_t>() > 0);
          CHECK(counts.at("bytes_in").get<std::uint64_t>() > 0);
          CHECK(counts.at("records_in").is_null() == plain);
        }
      });
  }

  TEST_CASE("what is not offered is refused by name") {
    const auto refusal = [](const workloads::Assignment& assignment) -> std::string {
      try {
        workloads::make_participant(assignment);
      } catch (const workloads::StepError& error) {
        return error.what();
      }
      return "";
    };
    auto assignment = relayed_echo(Transport::fd, RelayRead::per_record);
    assignment.role = "relay";
    CHECK(refusal(assignment) == "");
    assignment.settings.traffic.threads = 9;
    CHECK(has(refusal(assignment), "threads is larger than connections"));
    assignment.settings.traffic.threads = 1;
    assignment.settings.relay.present = false;
    CHECK(has(refusal(assignment), "the scenario has no [relay]"));
    assignment.settings.relay.present = true;
    assignment.settings.relay.outbound = scenario::LegProtocol::plain;
    CHECK(has(refusal(assignment), "the leg is plain, but") != tests::backend_under_test().plain());
  }
}
