// Tests of what counting and reading the wire make of backends that lie, and of those that go round the counted calls.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include <tlsrig/rig/prove.hpp>

#include "counting_support.hpp"
#include "support/program.hpp"

using namespace tlsrig;
using workloads::Json;

namespace {

constexpr const char* cipher_1_3 = "TLS_AES_128_GCM_SHA256";
constexpr const char* cipher_1_2 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";

// The openssl backend, telling lies; nullptr when it was not built.
const host::Backend* liar() {
  if (!tests::backend("openssl")) return nullptr;
  return tests::backend("lying");
}

workloads::Assignment engine(const host::Backend& backend, const std::string& version = "1.3") {
  auto assignment = tests::assignment_for(backend, scenario::Workload::engine);
  assignment.role = "engine";
  assignment.settings.tls.version = version;
  assignment.settings.tls.cipher = version == "1.3" ? cipher_1_3 : cipher_1_2;
  return assignment;
}

std::map<std::string, Json> proofs_of(const workloads::Assignment& assignment) {
  const auto participant = workloads::make_participant(assignment);
  participant->prepare();
  std::map<std::string, Json> sides;
  const Json connected = participant->connect({});
  for (const auto& [side, proof] : connected.at("proof").items()) sides[side] = proof;
  return sides;
}

struct Judged {
  report::Proof proof;
  std::string failure;
};

Judged judge(const workloads::Assignment& assignment) {
  Judged judged;
  try {
    rig::prove_life(proofs_of(assignment), {{"", "client", "server", assignment.settings.tls, 1}}, judged.proof);
  } catch (const rig::ArmFailure& failure) {
    judged.failure = failure.what();
  }
  return judged;
}

std::uint64_t number(const Json& counts, const char* field) { return counts.at(field).get<std::uint64_t>(); }

}  // namespace

TEST_SUITE("counting.proof") {
  TEST_CASE("a backend that contradicts the wire fails, with both words") {
    const host::Backend* const backend = liar();
    if (!backend) {
      MESSAGE("skipped: openssl was not built");
      return;
    }
    struct Lie {
      const char *version, *lie, *words;
    };
    for (const Lie& lie :
         {Lie{"1.3", "cipher",
              "the client says cipher \"TLS_CHACHA20_POLY1305_SHA256\", the wire shows "
              "\"TLS_AES_128_GCM_SHA256\" (connection 0)"},
          Lie{"1.3", "version", "the client says version \"1.2\", the wire shows \"1.3\""},
          Lie{"1.2", "version", "the client says version \"1.3\", the wire shows \"1.2\""},
          Lie{"1.3", "group", "the client says group \"secp521r1\", the wire shows \"x25519\""},
          Lie{"1.2", "group", "the client says group \"secp521r1\", the wire shows \"x25519\""},
          Lie{"1.2", "client:signature",
              "the client says signature \"ed448\", the wire shows \"ecdsa_secp256r1_sha256\""},
          Lie{"1.3", "resumed", "the client says resumed \"yes\", the wire shows \"no\""},
          Lie{"1.2", "resumed", "the client says resumed \"yes\", the wire shows \"no\""},
          Lie{"1.3", "hello_retry", "the client says hello_retry \"yes\", the wire shows \"no\""},
          Lie{"1.2", "encrypt_then_mac", "the client says encrypt_then_mac \"yes\", the wire shows \"no\""}}) {
      CAPTURE(lie.version);
      CAPTURE(lie.lie);
      const tests::Variable variable("TLSRIG_LIE", lie.lie);
      const std::string failure = judge(engine(*backend, lie.version)).failure;
      CAPTURE(failure);
      CHECK(failure.find(lie.words) != std::string::npos);
    }
    const tests::Variable variable("TLSRIG_LIE", "");
    CHECK(judge(engine(*backend)).failure == "");
  }

  TEST_CASE("what a backend does not tell is proved by the wire, and the source is said") {
    const host::Backend* const backend = liar();
    if (!backend) {
      MESSAGE("skipped: openssl was not built");
      return;
    }
    const tests::Variable variable("TLSRIG_LIE", "silent");
    for (const char* version : {"1.3", "1.2"}) {
      CAPTURE(version);
      const Judged judged = judge(engine(*backend, version));
      CHECK(judged.failure == "");
      const report::Proof& proof = judged.proof;
      CHECK(proof.version == version);
      CHECK(proof.cipher == (std::string(version) == "1.3" ? cipher_1_3 : cipher_1_2));
      CHECK(proof.group == "x25519");
      CHECK(proof.hello_retry == false);
      CHECK(proof.encrypt_then_mac == false);
      CHECK(proof.resumed_yes == 0);
      CHECK(proof.resumed_no == 1);
      for (const char* field : {"version", "cipher", "group", "hello_retry", "encrypt_then_mac", "resumed"})
        CHECK(proof.source.at(field) == "wire");
      CHECK(proof.source.at("peer_verified") == "library");
      CHECK(proof.source.contains("signature") == (std::string(version) == "1.2"));
    }
  }

  TEST_CASE("every backend agrees with the wire, and tells what is not to be seen there") {
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) {
        MESSAGE("skipped: " << name << " was not built");
        continue;
      }
      for (const char* version : {"1.3", "1.2"})
        for (const char* certificate : {"ecdsa-p256", "rsa-2048"}) {
          CAPTURE(name);
          CAPTURE(version);
          CAPTURE(certificate);
          auto assignment = engine(*backend, version);
          const bool rsa = std::string(certificate) == "rsa-2048";
          assignment.settings.tls.certificate = certificate;
          assignment.certificates = tests::certificates(certificate);
          if (rsa && std::string(version) == "1.2")
            assignment.settings.tls.cipher = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
          const Judged judged = judge(assignment);
          CHECK(judged.failure == "");
          const bool shown = std::string(version) == "1.2";
          CHECK(judged.proof.source.at("cipher") == "wire");
          if (judged.proof.signature || shown)
            CHECK(judged.proof.source.at("signature") == (shown ? "wire" : "library"));
        }
    }
  }

  TEST_CASE("as shipped, and a HelloRetryRequest that nobody asked for: recorded") {
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) continue;
      CAPTURE(name);
      auto assignment = engine(*backend);
      assignment.settings.tls.policy = scenario::Policy::as_shipped;
      assignment.settings.tls.version = assignment.settings.tls.cipher = assignment.settings.tls.group = "";
      const Judged judged = judge(assignment);
      CHECK(judged.failure == "");
      for (const char* field : {"version", "cipher", "group", "hello_retry"})
        CHECK(judged.proof.source.at(field) == "wire");
      CHECK(judged.proof.hello_retry.has_value());
    }
  }

  TEST_CASE("a life whose wire shows no TLS at all fails") {
    Json side{{"version", "1.3"}, {"connections", {{"asked", 2}, {"achieved", 2}}}, {"contradictions", Json::array()}};
    side["wire"] = {{"read", 1}, {"unreadable", 1}, {"version", "1.3"}};
    report::Proof proof;
    std::string failure;
    try {
      rig::prove_life({{"client", side}}, {{"", "client", "server", scenario::TlsSettings{}, 2}}, proof);
    } catch (const rig::ArmFailure& refused) {
      failure = refused.what();
    }
    CHECK(failure.find("what the wire of the client shows is no TLS handshake, on 1 of 2 connections") == 0);
  }

  TEST_CASE("echo reads every handshake at both ends, and counts what each side did") {
    for (const char* name : {"plaintcp", "openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) continue;
      for (const scenario::Transport transport : {scenario::Transport::fd, scenario::Transport::wire}) {
        CAPTURE(name);
        CAPTURE(static_cast<int>(transport));
        auto assignment = tests::assignment_for(*backend, scenario::Workload::echo);
        assignment.settings.traffic.connections = 3;
        assignment.settings.client.transport = assignment.settings.server.transport = transport;
        const tests::EchoRun run = tests::run_echo(assignment);
        const bool plain = backend->plain();
        for (const Json* connected : {&run.client_connected, &run.server_connected}) {
          const Json& proof = connected->at("proof").front();
          CHECK(proof.at("contradictions") == Json::array());
          CHECK(proof.at("wire").is_null() == plain);
          if (!plain) CHECK(proof.at("wire").at("read") == 3);
          if (!plain) CHECK(proof.at("wire").at("unreadable") == 0);
        }
        const Json& client = run.client_finished.at("counts").at("client");
        const Json& server = run.server_finished.at("counts").at("server");
        REQUIRE(number(client, "warmup_operations") > 0);
        CHECK(number(client, "warmup_operations") == number(server, "warmup_operations"));
        REQUIRE(number(client, "operations") > 0);
        for (const Json* counts : {&client, &server}) {
          // 1 KiB each way: a record each, without tickets or renegotiation; plain TCP has none.
          for (const char* field : {"records_in", "records_out"}) {
            CAPTURE(field);
            if (plain)
              CHECK(counts->at(field).is_null());
            else
              CHECK(number(*counts, field) == number(*counts, "warmup_operations"));
          }
          CHECK(number(*counts, "writes") >= number(*counts, "operations"));
          CHECK(number(*counts, "reads") >= number(*counts, "operations"));
          CHECK(number(*counts, "bytes_in") >= number(*counts, "operations") * 1024);
          CHECK(number(*counts, "bytes_out") >= number(*counts, "operations") * 1024);
        }
      }
    }
  }

  TEST_CASE("an engine tells records and bytes, and has no calls") {
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) continue;
      for (const scenario::Operation operation : {scenario::Operation::wrap_unwrap, scenario::Operation::wrap,
                                                  scenario::Operation::unwrap, scenario::Operation::handshake}) {
        CAPTURE(name);
        CAPTURE(static_cast<int>(operation));
        auto assignment = engine(*backend);
        assignment.settings.engine.operation = operation;
        assignment.settings.engine.message_size = 40'000;  // three records
        const auto participant = workloads::make_participant(assignment);
        participant->prepare();
        participant->connect({});
        participant->warm_up({0, 0});
        participant->slice({0, 0});
        const Json counts = participant->finish().at("counts");
        const Json &client = counts.at("client"), &server = counts.at("server");
        for (const char* field : {"reads", "writes"}) {
          CHECK(client.at(field).is_null());
          CHECK(server.at(field).is_null());
        }
        const std::uint64_t warm = number(client, "warmup_operations"), operations = number(client, "operations");
        REQUIRE(warm > 0);
        REQUIRE(operations >= 20);
        CHECK(number(client, "records_out") == number(server, "records_in"));
        CHECK(number(client, "records_in") == number(server, "records_out"));
        CHECK(number(client, "bytes_in") == number(server, "bytes_out"));
        if (operation == scenario::Operation::handshake) {
          CHECK(number(client, "records_out") >= 2 * warm);  // ClientHello, Finished
          CHECK(number(client, "records_in") >= 2 * warm);
          CHECK(number(client, "bytes_out") > 200 * operations);
          CHECK(number(server, "bytes_out") > 500 * operations);
        } else {
          CHECK(number(client, "records_out") == 3 * warm);
          CHECK(number(client, "records_in") == 0);
          CHECK(number(client, "bytes_out") > 40'000 * operations);
          CHECK(number(server, "bytes_in") ==
                (operation == scenario::Operation::wrap ? 0 : number(client, "bytes_out")));
        }
      }
    }
  }

  TEST_CASE("calls that go round the counted ones give null, never a wrong number") {
    const host::Backend* const backend = tests::backend("raw_calls");
    REQUIRE(backend);
    auto assignment = tests::assignment_for(*backend, scenario::Workload::echo);
    assignment.settings.client.transport = assignment.settings.server.transport = scenario::Transport::fd;
    for (const char* raw : {"all", "reads", "some", "none"}) {
      CAPTURE(raw);
      const tests::Variable variable("TLSRIG_RAW", raw);
      const tests::EchoRun run = tests::run_echo(assignment);
      const Json& counts = run.client_finished.at("counts").at("client");
      CHECK(number(counts, "operations") > 0);
      for (const char* field : {"reads", "writes", "bytes_in", "bytes_out"})
        CHECK(counts.at(field).is_null() == (std::string(raw) != "none"));
    }
  }

  TEST_CASE("a run fails the liar's arm and no other, and its result holds the counts of all") {
    if (!tests::backend("openssl")) {
      MESSAGE("skipped: openssl was not built");
      return;
    }
    const tests::Scratch scratch;
    const auto file = scratch.file(
        "s.toml",
        "schema = 1\nname = \"small\"\nworkload = \"echo\"\nbackends = [\"openssl\", \"lying\", \"plaintcp\", "
        "\"raw_calls\"]\n[traffic]\nconnections = 4\n[measure]\nwarmup = \"20ms\"\nblock = \"20ms\"\n"
        "blocks = { min = 2, max = 2 }\nself_check = false\n");
    const auto ended = tests::run_program({"run", file, "-v", "-o", "out", "-B", TLSRIG_TEST_FIXTURES "/lying.so", "-B",
                                           TLSRIG_TEST_FIXTURES "/raw_calls.so"},
                                          scratch.path(), {"TLSRIG_LIE=cipher", "TLSRIG_RAW=all"});
    INFO(ended.err << ended.out);
    CHECK(ended.status == 3);
    const auto result = tests::read_json(scratch.path() / "out/result.json");
    for (const auto& arm : result.at("cells").at(0).at("arms")) {
      const auto& proof = arm.at("proof");
      if (arm.at("backend") == "lying") {
        CHECK(arm.at("status") == "failed");
        CHECK(arm.at("reason").get<std::string>().find(
                  "the client says cipher \"TLS_CHACHA20_POLY1305_SHA256\", the wire shows") == 0);
        CHECK(proof.at("errors").at("proof") == 1);
        continue;
      }
      CHECK(arm.at("status") == "ok");
      for (const char* side : {"client", "server"}) {
        const auto& counts = proof.at("roles").at(side);
        CHECK(counts.at("reads").is_null() == (arm.at("backend") == "raw_calls"));
        CHECK(counts.at("records_in").is_null() == (arm.at("backend") != "openssl"));
        CHECK(counts.at("operations") > 0);
      }
      CHECK(proof.at("tickets").is_null() == (arm.at("backend") != "openssl"));
      if (arm.at("backend") != "openssl") continue;
      CHECK(proof.at("source").at("group") == "wire");
      CHECK(proof.at("source").at("tickets") == "library");
      CHECK(proof.at("tickets") == 0);
    }
    CHECK(ended.out.find("records/op") != std::string::npos);
    CHECK(ended.out.find("openssl client") != std::string::npos);
  }
}
