// Tests of engine operations that make contexts and sessions, and of what tells the two sides' CPU time apart.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include <tlsrig/workloads/engine/watch.hpp>

#include "support/temporary.hpp"
#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::ContextSharing;
using scenario::Operation;

namespace {

workloads::Assignment engine(Operation operation, std::uint32_t threads = 1) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::engine);
  assignment.settings.engine.operation = operation;
  assignment.settings.engine.message_size = 1024;
  assignment.settings.engine.threads = threads;
  return assignment;
}

workloads::CertificatePaths with_anchors(unsigned anchors) {
  return tests::backend_under_test().plain() ? workloads::CertificatePaths{}
                                             : tests::certificates("ecdsa-p256", anchors);
}

void check_made(const tests::RoleRun& run, std::uint32_t threads) {
  REQUIRE(run.failure == "");
  CHECK(run.operations >= 20);
  CHECK(run.seconds > 0);
  const auto verified = run.warmed.at("bytes_verified").get<std::uint64_t>();
  CHECK(verified > 0);
  CHECK(verified % 1024 == 0);
  for (const char* side : {"client", "server"}) {
    CAPTURE(side);
    CHECK(run.connected.at("proof").at(side).at("connections") ==
          workloads::Json{{"asked", threads}, {"achieved", threads}});
    const workloads::Json& counts = run.finished.at("counts").at(side);
    CHECK(counts.at("warmup_operations").get<std::uint64_t>() * 1024 == verified);  // each was used for a message
    CHECK(counts.at("operations") >= run.operations);
    CHECK(counts.at("bytes_in") == 0);  // what is measured puts nothing on the wire
    CHECK(counts.at("bytes_out") == 0);
    if (!tests::backend_under_test().plain()) CHECK(counts.at("records_out") == 0);
  }
}

double spin_ns(std::int64_t ns) {
  const std::int64_t begin = measure::now_ns();
  while (measure::now_ns() - begin < ns) {
  }
  return static_cast<double>(measure::now_ns() - begin);
}

}  // namespace

TEST_SUITE("workloads.engine") {
  TEST_CASE("contexts made and destroyed, with one trust anchor and with 100, which the client loads") {
    std::map<unsigned, double> client_share;
    for (const unsigned anchors : {1u, 100u})
      for (const std::uint32_t threads : {1u, 2u}) {
        CAPTURE(anchors);
        CAPTURE(threads);
        auto assignment = engine(Operation::context_new, threads);
        assignment.settings.engine.trust_anchors = anchors;
        assignment.certificates = with_anchors(anchors);
        const tests::RoleRun run = tests::run_engine(assignment, 1);
        check_made(run, threads);
        for (const double share : run.client_shares) CHECK((share > 0 && share < 1));
        client_share[anchors] = run.client_shares.front();
      }
    if (!tests::backend_under_test().plain()) CHECK(client_share[100] > client_share[1]);

    auto both = engine(Operation::context_new);
    both.settings.tls.verify = scenario::Verify::both;
    check_made(tests::run_engine(both, 1), 1);
  }

  TEST_CASE("sessions opened and closed, on shared contexts and on a thread's own") {
    for (const ContextSharing sharing : {ContextSharing::shared, ContextSharing::per_thread})
      for (const unsigned anchors : {1u, 100u})
        for (const std::uint32_t threads : {1u, 2u}) {
          CAPTURE(static_cast<int>(sharing));
          CAPTURE(anchors);
          CAPTURE(threads);
          auto assignment = engine(Operation::session_new, threads);
          assignment.settings.engine.context = sharing;
          assignment.settings.engine.trust_anchors = anchors;
          assignment.certificates = with_anchors(anchors);
          const tests::RoleRun run = tests::run_engine(assignment, 2);
          check_made(run, threads);
          for (const double share : run.client_shares) CHECK((share > 0 && share < 1));
        }
    auto alone = engine(Operation::session_new);
    alone.settings.engine.context = ContextSharing::per_connection;
    CHECK(tests::run_engine(alone, 1).kind == "config");
  }

  TEST_CASE("without the anchor that matters, what is made is refused") {
    if (tests::backend_under_test().plain()) {
      MESSAGE("skipped: plain TCP has no certificates");
      return;
    }
    const tests::TemporaryDirectory directory;
    for (const Operation operation : {Operation::context_new, Operation::session_new, Operation::handshake}) {
      auto assignment = engine(operation);
      assignment.certificates = with_anchors(100);
      std::ifstream stream(assignment.certificates.trust);
      std::string text((std::istreambuf_iterator<char>(stream)), {});
      text.resize(text.rfind("-----BEGIN CERTIFICATE-----"));
      assignment.certificates.trust = (directory / "without-last").string();
      std::ofstream(assignment.certificates.trust) << text;
      CHECK(tests::run_engine(assignment, 1).kind == "certificate");
    }
  }

  TEST_CASE("the sides' shares: all of wrap is the client's, all of unwrap the server's, the rest is divided") {
    for (const std::uint32_t threads : {1u, 2u})
      for (const Operation operation : {Operation::wrap, Operation::unwrap, Operation::wrap_unwrap,
                                        Operation::handshake, Operation::session_new, Operation::context_new}) {
        CAPTURE(threads);
        CAPTURE(static_cast<int>(operation));
        const tests::RoleRun run = tests::run_engine(engine(operation, threads), 3);
        REQUIRE(run.failure == "");
        REQUIRE(run.client_shares.size() == 3);
        for (const double share : run.client_shares) {
          if (operation == Operation::wrap)
            CHECK(share == 1);
          else if (operation == Operation::unwrap)
            CHECK(share == 0);
          else
            CHECK((share > 0 && share < 1));
        }
      }
  }

  TEST_CASE("the meter gives each side what it took") {
    workloads::SideMeter meter;
    CHECK(meter.take_client_share() == 0.5);  // nothing was timed
    double client = 0, server = 0;
    for (int i = 0; i < 20; ++i) {
      meter.begin();
      client += spin_ns(30'000);
      meter.client();
      server += spin_ns(90'000);
      meter.server();
      client += spin_ns(30'000);
      meter.client();
      meter.end(150'000);
    }
    // A pause between spinning and the meter's reading counts for the side: wide limits, on a busy machine.
    CHECK(meter.take_client_share() == doctest::Approx(client / (client + server)).epsilon(0.2));

    for (int i = 0; i < 50; ++i) {  // one operation in 50 is interrupted for 1000 times as long
      meter.begin();
      spin_ns(20'000);
      meter.client();
      if (i == 25) std::this_thread::sleep_for(std::chrono::milliseconds(40));
      spin_ns(20'000);
      meter.server();
      meter.end(40'000);
    }
    CHECK(meter.take_client_share() > 0.3);  // by time alone it would be 0.024
    CHECK(meter.take_client_share() == 0.5);
  }
}
