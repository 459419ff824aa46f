// Tests of the engine workload, with the backend under test.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::ContextSharing;
using scenario::Operation;

namespace {

workloads::Assignment engine(Operation operation, std::uint64_t message_size, std::uint32_t threads = 1) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::engine);
  assignment.settings.engine.operation = operation;
  assignment.settings.engine.message_size = message_size;
  assignment.settings.engine.threads = threads;
  return assignment;
}

void check_done(const tests::RoleRun& run, std::uint64_t message_size, unsigned slices = 2) {
  REQUIRE(run.failure == "");
  CHECK(run.operations >= 20 * slices);
  CHECK(run.seconds > 0);
  const auto verified = run.warmed.at("bytes_verified").get<std::uint64_t>();
  CHECK(verified > 0);
  CHECK(verified % message_size == 0);
  CHECK(run.finished.at("histogram").is_null());
  CHECK(run.finished.at("layout").size() == 4);
}

std::uint64_t total(const tests::RoleRun& run, const char* key) { return run.finished.at(key).get<std::uint64_t>(); }

}  // namespace

TEST_SUITE("workloads.engine") {
  TEST_CASE("every operation on payload, small to large") {
    for (const Operation operation : {Operation::wrap, Operation::unwrap, Operation::wrap_unwrap})
      for (const std::uint64_t size : {1u, 64u, 1024u, 16384u, 16385u, 65536u, 1048576u}) {
        CAPTURE(static_cast<int>(operation));
        CAPTURE(size);
        const tests::RoleRun run = tests::run_engine(engine(operation, size), size > 100'000 ? 1 : 2);
        check_done(run, size, 1);
        CHECK(total(run, "messages") >= run.operations);
        CHECK(total(run, "payload_bytes_out") >= size * run.operations);
        if (operation != Operation::wrap) CHECK(total(run, "payload_bytes_in") >= size * run.operations);
        CHECK(total(run, "wire_bytes_out") >= total(run, "payload_bytes_out"));
        if (operation == Operation::wrap_unwrap) {
          CHECK(total(run, "payload_bytes_in") == total(run, "payload_bytes_out"));
          CHECK(total(run, "payload_bytes_in") == size * total(run, "messages"));
        }
      }
  }

  TEST_CASE("a message of 16 MiB") {
    if (!tests::backend_under_test().warnings().empty()) {
      MESSAGE("skipped: without hardware AES 21 messages of 16 MiB take many seconds");
      return;
    }
    check_done(tests::run_engine(engine(Operation::wrap_unwrap, 16u << 20), 1), 16u << 20, 1);
  }

  TEST_CASE("handshakes, with every way to share contexts") {
    for (const ContextSharing sharing :
         {ContextSharing::shared, ContextSharing::per_thread, ContextSharing::per_connection})
      for (const std::uint32_t threads : {1u, 2u}) {
        CAPTURE(static_cast<int>(sharing));
        CAPTURE(threads);
        auto assignment = engine(Operation::handshake, 1024, threads);
        assignment.settings.engine.context = sharing;
        const tests::RoleRun run = tests::run_engine(assignment, 1);
        check_done(run, 1024, 1);
        for (const char* side : {"client", "server"})
          CHECK(run.connected.at("proof").at(side).at("connections") ==
                workloads::Json{{"asked", threads}, {"achieved", threads}});
      }
  }

  TEST_CASE("resumed handshakes, by every means") {
    using scenario::Resumption;
    struct Means {
      const char* version;
      const char* cipher;
      Resumption resumption;
      std::uint32_t tickets;
    };
    const char* const suite_1_2 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
    const bool plain = tests::backend_under_test().plain();
    for (const Means& means :
         {Means{"1.3", "TLS_AES_128_GCM_SHA256", Resumption::ticket, 1},
          Means{"1.3", "TLS_AES_128_GCM_SHA256", Resumption::ticket, 2}, Means{"1.2", suite_1_2, Resumption::ticket, 1},
          Means{"1.2", suite_1_2, Resumption::session_id, 0}})
      for (const std::uint32_t threads : {1u, 2u}) {
        CAPTURE(means.version);
        CAPTURE(static_cast<int>(means.resumption));
        CAPTURE(threads);
        auto assignment = engine(Operation::handshake_resumed, 1024, threads);
        tests::pin(assignment, means.version, means.cipher, "x25519");
        assignment.settings.tls.resumption = means.resumption;
        assignment.settings.tls.tickets = means.tickets;
        const tests::RoleRun run = tests::run_engine(assignment, 2);
        check_done(run, 1024);
        CHECK(run.finished.at("tickets").is_null() == plain);
        if (plain) continue;
        // A resumed handshake brings a new ticket in TLS 1.3, where each serves once; in TLS 1.2 it need not.
        if (std::string(means.version) == "1.3") CHECK(total(run, "tickets") >= threads);
        for (const char* side : {"client", "server"}) {
          const workloads::Json& proof = run.connected.at("proof").at(side);
          CHECK(proof.at("resumed") == workloads::Json{{"yes", threads}, {"no", 0}});
          CHECK(proof.at("wire").at("resumed") == workloads::Json{{"yes", threads}, {"no", 0}});
        }
      }
  }

  TEST_CASE("the tickets of the proved connections are counted") {
    if (tests::backend_under_test().plain()) {
      MESSAGE("skipped: plain TCP has no tickets");
      return;
    }
    for (const Operation operation : {Operation::wrap_unwrap, Operation::handshake})
      for (const std::uint32_t tickets : {0u, 1u}) {
        CAPTURE(static_cast<int>(operation));
        CAPTURE(tickets);
        auto assignment = engine(operation, 1024, 2);
        assignment.settings.tls.tickets = tickets;
        const tests::RoleRun run = tests::run_engine(assignment, 1);
        REQUIRE(run.failure == "");
        CHECK(total(run, "tickets") == 2 * tickets);  // one connection of each of two threads
      }
  }

  TEST_CASE("no ticket, nothing to resume") {
    if (tests::backend_under_test().plain()) {
      MESSAGE("skipped: plain TCP resumes nothing");
      return;
    }
    auto assignment = engine(Operation::handshake_resumed, 1024);
    assignment.settings.tls.resumption = scenario::Resumption::ticket;
    assignment.settings.tls.tickets = 0;
    const tests::RoleRun run = tests::run_engine(assignment, 1);
    CHECK(run.kind == "protocol");
    CHECK(run.failure.find("the server has sent no ticket") != std::string::npos);
  }

  TEST_CASE("two threads have a lane each") {
    const tests::RoleRun run = tests::run_engine(engine(Operation::wrap_unwrap, 4096, 2));
    check_done(run, 4096);
    CHECK(run.operations >= 80);
  }

  TEST_CASE("both sides prove what was asked") {
    struct Ask {
      const char* version;
      const char* cipher;
      const char* group;
      const char* certificate;
    };
    const bool plain = tests::backend_under_test().plain();
    for (const Ask& ask : {Ask{"1.3", "TLS_AES_128_GCM_SHA256", "x25519", "ecdsa-p256"},
                           Ask{"1.3", "TLS_AES_128_GCM_SHA256", "secp384r1", "rsa-2048"},
                           Ask{"1.2", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "x25519", "ecdsa-p256"},
                           Ask{"1.2", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "secp256r1", "rsa-2048"}}) {
      CAPTURE(ask.version);
      CAPTURE(ask.cipher);
      CAPTURE(ask.group);
      auto assignment = engine(Operation::wrap_unwrap, 1024);
      assignment.settings.tls.certificate = ask.certificate;
      assignment.settings.tls.verify = scenario::Verify::both;
      if (!plain) assignment.certificates = tests::certificates(ask.certificate);
      tests::pin(assignment, ask.version, ask.cipher, ask.group);
      const tests::RoleRun run = tests::run_engine(assignment, 1);
      check_done(run, 1024, 1);
      for (const char* side : {"client", "server"}) {
        CAPTURE(side);
        const workloads::Json& proof = run.connected.at("proof").at(side);
        CHECK(proof.at("version") == (plain ? "none" : ask.version));
        if (plain) continue;
        CHECK(proof.at("cipher") == ask.cipher);
        CHECK(proof.at("peer_verified") == true);
        if (!proof.at("group").is_null()) CHECK(proof.at("group") == ask.group);
        if (!proof.at("resumed").is_null()) CHECK(proof.at("resumed") == workloads::Json{{"yes", 0}, {"no", 1}});
      }
    }
  }

  TEST_CASE("as shipped, and without verification") {
    auto assignment = engine(Operation::wrap_unwrap, 1024);
    assignment.settings.tls.policy = scenario::Policy::as_shipped;
    tests::pin(assignment, "", "", "");
    check_done(tests::run_engine(assignment, 1), 1024, 1);
    assignment.settings.engine.operation = Operation::handshake;
    check_done(tests::run_engine(assignment, 1), 1024, 1);

    auto unverified = engine(Operation::wrap_unwrap, 1024);
    unverified.settings.tls.verify = scenario::Verify::none;
    const tests::RoleRun run = tests::run_engine(unverified, 1);
    check_done(run, 1024, 1);
    if (!tests::backend_under_test().plain())
      CHECK(run.connected.at("proof").at("client").at("peer_verified") == false);
  }

  TEST_CASE("a name that is not in the certificate is refused by the client") {
    if (tests::backend_under_test().plain()) {
      MESSAGE("skipped: plain TCP has no certificates");
      return;
    }
    auto assignment = engine(Operation::handshake, 1024);
    assignment.certificates.server_name = "other.tlsrig.test";
    const tests::RoleRun run = tests::run_engine(assignment, 1);
    CHECK(run.kind == "certificate");
    CHECK(run.failure.find("client connection 0") != std::string::npos);
    CHECK(run.failure.find("(handshake)") != std::string::npos);
  }
}
