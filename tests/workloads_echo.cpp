// Tests of the echo workload, with the backend under test: both roles in this process.
#include <doctest/doctest.h>

#include <string>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::Transport;

namespace {

workloads::Assignment echo(std::uint32_t connections, std::uint64_t message_size, std::uint64_t reply_size,
                           std::uint32_t pipeline) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::echo);
  scenario::TrafficSettings& traffic = assignment.settings.traffic;
  traffic.connections = connections;
  traffic.message_size = message_size;
  traffic.reply_size = reply_size;
  traffic.pipeline = pipeline;
  return assignment;
}

std::uint64_t total(const tests::RoleRun& run, const char* key) { return run.finished.at(key).get<std::uint64_t>(); }

std::uint64_t samples(const workloads::Json& histogram) {
  std::uint64_t sum = 0;
  for (const auto& bucket : histogram) sum += bucket.at(1).get<std::uint64_t>();
  return sum;
}

// Both roles came to their end, and what one sent is what the other received.
void check_done(const tests::EchoRun& run, const workloads::Assignment& assignment, unsigned slices = 3) {
  REQUIRE(run.client.failure == "");
  REQUIRE(run.server.failure == "");
  const scenario::TrafficSettings& traffic = assignment.settings.traffic;
  CHECK(run.client.seconds == doctest::Approx(0.008 * slices));
  CHECK(run.client.warmed.at("bytes_verified") ==
        run.server.warmed.at("bytes_verified").get<std::uint64_t>() / traffic.message_size * traffic.reply_size);
  CHECK(run.client.warmed.at("bytes_verified").get<std::uint64_t>() >=
        traffic.reply_size * traffic.pipeline * traffic.connections);
  CHECK(total(run.client, "messages") == total(run.server, "messages"));
  CHECK(total(run.client, "messages") >= 2 * traffic.pipeline * traffic.connections);  // warm-up, slices
  CHECK(total(run.client, "messages") >= run.client.operations);
  CHECK(total(run.client, "payload_bytes_out") == total(run.server, "payload_bytes_in"));
  CHECK(total(run.client, "payload_bytes_in") == total(run.server, "payload_bytes_out"));
  CHECK(total(run.client, "payload_bytes_out") == traffic.message_size * total(run.client, "messages"));
  CHECK(total(run.client, "payload_bytes_in") == traffic.reply_size * total(run.client, "messages"));
  CHECK(samples(run.client.finished.at("histogram")) == run.client.operations);
  CHECK(run.server.finished.at("histogram").is_null());
  CHECK(run.client.finished.at("layout") == run.server.finished.at("layout"));
  for (const tests::RoleRun* role : {&run.client, &run.server})
    CHECK(role->connected.at("proof").front().at("connections") ==
          workloads::Json{{"asked", traffic.connections}, {"achieved", traffic.connections}});
}

void check_echo(workloads::Assignment assignment) {
  for (const Transport client : {Transport::fd, Transport::wire})
    for (const Transport server : {Transport::fd, Transport::wire}) {
      CAPTURE(static_cast<int>(client));
      CAPTURE(static_cast<int>(server));
      assignment.settings.client.transport = client;
      assignment.settings.server.transport = server;
      check_done(tests::run_echo(assignment), assignment);
    }
}

}  // namespace

TEST_SUITE("workloads.echo") {
  TEST_CASE("every transport on either side, pipeline 1 and 8, from 1 byte to 1 MiB") {
    for (const std::uint32_t pipeline : {1u, 8u})
      for (const std::uint64_t size : {1u, 1024u, 65536u}) {
        CAPTURE(pipeline);
        CAPTURE(size);
        check_echo(echo(3, size, size, pipeline));
      }
    auto large = echo(2, 1u << 20, 1u << 20, 1);
    check_echo(large);
  }

  TEST_CASE("messages are counted in slices, on both sides") {
    const auto assignment = echo(2, 64, 64, 1);
    const tests::EchoRun run = tests::run_echo(assignment, 20);
    check_done(run, assignment, 20);
    CHECK(run.client.operations > 0);
    CHECK(run.server.operations > 0);
  }

  TEST_CASE("many large messages in flight, more than the sockets hold") {
    auto assignment = echo(1, 1u << 19, 1u << 19, 8);
    assignment.settings.socket.send_buffer = assignment.settings.socket.receive_buffer = 8192;
    for (const Transport transport : {Transport::fd, Transport::wire}) {
      CAPTURE(static_cast<int>(transport));
      assignment.settings.client.transport = assignment.settings.server.transport = transport;
      const tests::EchoRun run = tests::run_echo(assignment, 8);
      REQUIRE(run.client.failure == "");
      REQUIRE(run.server.failure == "");
      CHECK(total(run.client, "messages") == total(run.server, "messages"));
      CHECK(total(run.client, "payload_bytes_in") == total(run.server, "payload_bytes_out"));
    }
  }

  TEST_CASE("a reply of another size") {
    check_echo(echo(2, 100, 40'000, 1));
    check_echo(echo(2, 40'000, 100, 4));
  }

  TEST_CASE("two threads per role, connections that do not divide evenly") {
    auto assignment = echo(5, 1024, 1024, 2);
    assignment.settings.traffic.threads = 2;
    check_echo(assignment);
  }

  TEST_CASE("small reads of the socket") {
    auto assignment = echo(2, 5000, 5000, 4);
    assignment.settings.socket.read_size = 7;
    assignment.settings.client.transport = assignment.settings.server.transport = Transport::wire;
    check_done(tests::run_echo(assignment), assignment);
  }

  TEST_CASE("sockets are set up as asked, and what is in force is told") {
    auto assignment = echo(1, 64, 64, 1);
    assignment.settings.socket.send_buffer = 50'000;
    const tests::EchoRun run = tests::run_echo(assignment);
    check_done(run, assignment);
    for (const tests::RoleRun* role : {&run.client, &run.server}) {
      const workloads::Json& socket = role->connected.at("socket");
      CHECK(socket.at("nodelay") == true);
      CHECK(socket.at("send_buffer").get<std::uint64_t>() >= 50'000);
      CHECK(socket.at("congestion_control").get<std::string>() != "");
    }
  }

  TEST_CASE("TLS 1.2, both sides verified, tickets sent") {
    auto assignment = echo(2, 1024, 1024, 1);
    const bool plain = tests::backend_under_test().plain();
    assignment.settings.tls.verify = scenario::Verify::both;
    assignment.settings.tls.tickets = 1;
    tests::pin(assignment, "1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "x25519");
    tests::EchoRun run = tests::run_echo(assignment);
    check_done(run, assignment);
    for (const tests::RoleRun* role : {&run.client, &run.server}) {
      const workloads::Json& proof = role->connected.at("proof").front();
      CHECK(proof.at("version") == (plain ? "none" : "1.2"));
      if (!plain) CHECK(proof.at("peer_verified") == true);
    }
    tests::pin(assignment, "1.3", "TLS_AES_128_GCM_SHA256", "x25519");
    check_echo(assignment);
  }

  TEST_CASE("as shipped") {
    auto assignment = echo(2, 1024, 1024, 1);
    assignment.settings.tls.policy = scenario::Policy::as_shipped;
    tests::pin(assignment, "", "", "");
    check_echo(assignment);
  }

  TEST_CASE("a name that is not in the certificate is refused, and both sides come to an end") {
    if (tests::backend_under_test().plain()) {
      MESSAGE("skipped: plain TCP has no certificates");
      return;
    }
    for (const Transport transport : {Transport::fd, Transport::wire}) {
      CAPTURE(static_cast<int>(transport));
      auto assignment = echo(2, 1024, 1024, 1);
      assignment.certificates.server_name = "other.tlsrig.test";
      assignment.settings.client.transport = assignment.settings.server.transport = transport;
      const tests::EchoRun run = tests::run_echo(assignment);
      CHECK(run.client.kind == "certificate");
      CHECK(run.client.failure.find("client connection 0") != std::string::npos);
      CHECK(run.server.failure != "");
      CHECK(run.server.failure.find("server connection 0") != std::string::npos);
    }
  }
}
