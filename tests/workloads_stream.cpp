// Tests of the one-way workload, with the backend under test: source and sink in this process.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::Direction;
using scenario::Transport;
using scenario::WriteStrategy;

namespace {

workloads::Assignment stream(std::uint32_t connections, std::uint64_t message_size,
                             WriteStrategy write = WriteStrategy::per_message,
                             Direction direction = Direction::to_server) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::stream);
  scenario::TrafficSettings& traffic = assignment.settings.traffic;
  traffic.connections = connections;
  traffic.message_size = message_size;
  traffic.write = write;
  traffic.direction = direction;
  return assignment;
}

void over(workloads::Assignment& assignment, Transport transport) {
  assignment.settings.client.transport = assignment.settings.server.transport = transport;
}

std::uint64_t number(const workloads::Json& json, const char* key) { return json.at(key).get<std::uint64_t>(); }

// Both roles by what they do.
struct Ends {
  const tests::RoleRun &source, &sink;
  const workloads::Json &sent, &taken;  // their counts
};

Ends ends_of(const tests::PairRun& run, const workloads::Assignment& assignment) {
  const auto counts = [](const tests::RoleRun& role) -> const workloads::Json& {
    return role.finished.at("counts").front();
  };
  if (scenario::is_source(assignment.settings, "client"))
    return {run.client, run.server, counts(run.client), counts(run.server)};
  return {run.server, run.client, counts(run.server), counts(run.client)};
}

// Both roles came to their end, and what one sent is what the other received, in whole messages.
void check_done(const tests::PairRun& run, const workloads::Assignment& assignment, unsigned slices = 3) {
  REQUIRE(run.client.failure == "");
  REQUIRE(run.server.failure == "");
  const scenario::TrafficSettings& traffic = assignment.settings.traffic;
  const auto [source, sink, sent, taken] = ends_of(run, assignment);
  CHECK(sink.seconds == doctest::Approx(0.008 * slices));
  CHECK(source.warmed.at("bytes_verified") == 0);
  CHECK(sink.settled.at("bytes_verified") == source.warmed.at("bytes_sent"));
  CHECK(number(source.warmed, "bytes_sent") >= traffic.message_size * traffic.connections);
  CHECK(number(source.warmed, "bytes_sent") % traffic.message_size == 0);
  CHECK(source.finished.at("payload_bytes_in") == 0);
  CHECK(sink.finished.at("payload_bytes_out") == 0);
  CHECK(source.finished.at("payload_bytes_out") == sink.finished.at("payload_bytes_in"));
  CHECK(number(sink.finished, "payload_bytes_in") == traffic.message_size * number(sink.finished, "messages"));
  CHECK(source.finished.at("messages") == sink.finished.at("messages"));
  CHECK(number(sent, "warmup_operations") * traffic.message_size == number(source.warmed, "bytes_sent"));
  CHECK(taken.at("warmup_operations") == sent.at("warmup_operations"));
  CHECK(number(taken, "operations") == sink.operations);
  CHECK(number(sent, "operations") + number(sent, "warmup_operations") == number(source.finished, "messages"));
  for (const tests::RoleRun* role : {&source, &sink}) {
    CHECK(role->finished.at("histogram").is_null());
    CHECK(role->connected.at("proof").front().at("connections") ==
          workloads::Json{{"asked", traffic.connections}, {"achieved", traffic.connections}});
  }
  CHECK(run.client.finished.contains("tickets"));
  CHECK(!run.server.finished.contains("tickets"));
}

}  // namespace

TEST_SUITE("workloads.stream") {
  TEST_CASE("both directions, every transport on either side, every way to write, from 1 byte to 1 MiB") {
    static constexpr std::uint64_t sizes[] = {1, 1u << 14, 2, 40 * 1024, 1024, 1u << 20};
    std::size_t next = 0;  // each combination gets the next two sizes
    for (const Direction direction : {Direction::to_server, Direction::to_client})
      for (const Transport client : {Transport::fd, Transport::wire})
        for (const Transport server : {Transport::fd, Transport::wire})
          for (const WriteStrategy write :
               {WriteStrategy::per_message, WriteStrategy::batched, WriteStrategy::coalesced})
            for (int i = 0; i < 2; ++i) {
              const Transport at_source = direction == Direction::to_server ? client : server;
              if (write == WriteStrategy::batched && at_source == Transport::fd) continue;
              auto assignment = stream(2, sizes[next++ % std::size(sizes)], write, direction);
              assignment.settings.client.transport = client;
              assignment.settings.server.transport = server;
              CAPTURE(static_cast<int>(direction));
              CAPTURE(static_cast<int>(client));
              CAPTURE(static_cast<int>(server));
              CAPTURE(static_cast<int>(write));
              CAPTURE(assignment.settings.traffic.message_size);
              check_done(tests::run_one_way(assignment), assignment);
            }
  }

  TEST_CASE("messages are counted at the sink, slice by slice") {
    for (const Transport transport : {Transport::fd, Transport::wire}) {
      auto assignment = stream(2, 64);
      over(assignment, transport);
      const tests::PairRun run = tests::run_one_way(assignment, 10);
      check_done(run, assignment, 10);
      CHECK(run.server.operations > 100);
    }
  }

  TEST_CASE("messages that no connection brings to its end within a slice are counted by their sum") {
    auto assignment = stream(8, 1u << 20);
    const tests::PairRun run = tests::run_one_way(assignment, 10);
    check_done(run, assignment, 10);
    const std::uint64_t taken =
        number(run.server.finished, "payload_bytes_in") - number(run.server.settled, "bytes_verified");
    CHECK(run.server.operations > 0);
    CHECK(run.server.operations <= taken >> 20);
  }

  TEST_CASE("several threads, connections that do not divide evenly") {
    for (const Direction direction : {Direction::to_server, Direction::to_client})
      for (const Transport transport : {Transport::fd, Transport::wire}) {
        auto assignment = stream(5, 3000, WriteStrategy::coalesced, direction);
        assignment.settings.traffic.threads = 2;
        assignment.settings.traffic.batch_size = 100'000;
        over(assignment, transport);
        check_done(tests::run_one_way(assignment), assignment);
      }
  }

  TEST_CASE("sockets that hold less than a record") {
    for (const WriteStrategy write : {WriteStrategy::per_message, WriteStrategy::batched, WriteStrategy::coalesced})
      for (const Transport transport : {Transport::fd, Transport::wire}) {
        if (write == WriteStrategy::batched && transport == Transport::fd) continue;
        CAPTURE(static_cast<int>(write));
        CAPTURE(static_cast<int>(transport));
        for (const std::uint64_t size : {700u, 40u * 1024}) {
          auto assignment = stream(3, size, write);
          over(assignment, transport);
          assignment.settings.socket.send_buffer = assignment.settings.socket.receive_buffer = 4096;
          assignment.settings.socket.read_size = 1000;
          check_done(tests::run_one_way(assignment, 5), assignment, 5);
        }
      }
  }

  TEST_CASE("records and socket writes are what the way to write says") {
    const bool plain = tests::backend_under_test().plain();
    const auto run = [&](WriteStrategy write, Transport transport) {
      auto assignment = stream(1, 64, write);
      over(assignment, transport);
      const tests::PairRun done = tests::run_one_way(assignment);
      check_done(done, assignment);
      const Ends ends = ends_of(done, assignment);
      CHECK(ends.sent.at("records_out").is_null() == plain);
      CHECK(ends.sent.at("records_out") == ends.taken.at("records_in"));
      CHECK(number(ends.sent, "operations") > 500);
      return ends.sent;
    };
    for (const Transport transport : {Transport::fd, Transport::wire}) {
      CAPTURE(static_cast<int>(transport));
      const workloads::Json one_by_one = run(WriteStrategy::per_message, transport);
      if (!plain) CHECK(one_by_one.at("records_out") == one_by_one.at("warmup_operations"));
      CHECK(number(one_by_one, "writes") >= number(one_by_one, "operations"));
      const workloads::Json gathered = run(WriteStrategy::coalesced, transport);  // 256 messages in a batch
      if (!plain) CHECK(number(gathered, "records_out") * 256 == number(gathered, "warmup_operations"));
      CHECK(number(gathered, "writes") * 64 < number(gathered, "operations"));
    }
    const workloads::Json batched = run(WriteStrategy::batched, Transport::wire);
    if (!plain) CHECK(batched.at("records_out") == batched.at("warmup_operations"));
    CHECK(number(batched, "writes") * 64 < number(batched, "operations"));
  }

  TEST_CASE("a warm-up of so many bytes") {
    for (const std::uint32_t threads : {1u, 2u}) {
      auto assignment = stream(3, 10'000);
      assignment.settings.traffic.threads = threads;
      assignment.settings.measure.warmup_bytes = 30'000'000;
      const tests::PairRun run = tests::run_one_way(assignment);
      check_done(run, assignment);
      CHECK(number(run.server.settled, "bytes_verified") >= 30'000'000);
    }
  }

  TEST_CASE("TLS 1.2, both sides verified, tickets sent") {
    const bool plain = tests::backend_under_test().plain();
    for (const std::string version : {"1.2", "1.3"})
      for (const Direction direction : {Direction::to_server, Direction::to_client})
        for (const Transport transport : {Transport::fd, Transport::wire}) {
          auto assignment = stream(2, 1024, WriteStrategy::per_message, direction);
          assignment.settings.tls.verify = scenario::Verify::both;
          assignment.settings.tls.tickets = 1;
          tests::pin(assignment, version,
                     version == "1.2" ? "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" : "TLS_AES_128_GCM_SHA256", "x25519");
          over(assignment, transport);
          CAPTURE(version);
          CAPTURE(static_cast<int>(direction));
          CAPTURE(static_cast<int>(transport));
          const tests::PairRun run = tests::run_one_way(assignment);
          check_done(run, assignment);
          CHECK(run.client.connected.at("proof").front().at("version") == (plain ? "none" : version));
          if (!plain && version == "1.3") CHECK(run.client.finished.at("tickets") == 2);
        }
  }

  TEST_CASE("as shipped") {
    for (const Direction direction : {Direction::to_server, Direction::to_client}) {
      auto assignment = stream(2, 16'384, WriteStrategy::per_message, direction);
      assignment.settings.tls.policy = scenario::Policy::as_shipped;
      tests::pin(assignment, "", "", "");
      check_done(tests::run_one_way(assignment), assignment);
    }
  }
}
