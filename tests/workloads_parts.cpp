// Tests of the parts of the workloads that need no backend: pattern, proof, team, layout, what is offered.
#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/team.hpp>

#include "workloads_support.hpp"

using namespace tlsrig;
using workloads::Direction;
using workloads::Pattern;

namespace {

std::vector<std::uint8_t> stream(const Pattern& pattern, std::uint64_t offset, std::size_t size) {
  std::vector<std::uint8_t> data(size);
  pattern.fill(data, offset);
  return data;
}

std::size_t equal_bytes(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& two) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < one.size(); ++i) equal += one[i] == two[i];
  return equal;
}

tlsrig_facts facts_of(const char* cipher, std::uint32_t resumed) {
  tlsrig_facts facts{};
  facts.struct_size = sizeof facts;
  facts.protocol = TLSRIG_TLS_1_3;
  facts.cipher = cipher;
  facts.resumed = resumed;
  facts.peer_verified = TLSRIG_YES;
  facts.hello_retry = TLSRIG_NO;
  return facts;
}

}  // namespace

TEST_SUITE("workloads.parts") {
  TEST_CASE("the pattern does not depend on how a stream is cut") {
    const Pattern pattern(3, Direction::to_server);
    const auto whole = stream(pattern, 0, 1000);
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(whole[i] == pattern.byte(i));
    for (std::size_t piece = 1; piece < 40; ++piece)
      for (std::size_t offset = 0; offset + piece <= whole.size(); offset += piece) {
        const auto part = stream(pattern, offset, piece);
        CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset)));
        CHECK_FALSE(pattern.mismatch(part, offset));
      }
  }

  TEST_CASE("the pattern differs by connection, direction and offset") {
    const auto mine = stream(Pattern(3, Direction::to_server), 0, 65536);
    // Bytes of unrelated streams are equal once in 256.
    CHECK(equal_bytes(mine, stream(Pattern(4, Direction::to_server), 0, 65536)) < 400);
    CHECK(equal_bytes(mine, stream(Pattern(3, Direction::to_client), 0, 65536)) < 400);
    for (const std::uint64_t shift : {1u, 8u, 1024u, 16384u, 65536u})
      CHECK(equal_bytes(mine, stream(Pattern(3, Direction::to_server), shift, 65536)) < 400);
  }

  TEST_CASE("one wrong bit is found, at its place") {
    const Pattern pattern(9, Direction::to_client);
    for (std::size_t offset = 0; offset < 9; ++offset)
      for (std::size_t place = 0; place < 70; ++place) {
        auto data = stream(pattern, offset, 70);
        data[place] ^= 0x10;
        const auto found = pattern.mismatch(data, offset);
        REQUIRE(found);
        CHECK(*found == place);
      }
  }

  TEST_CASE("a tally tells what all connections agree on, and names what they do not") {
    workloads::ProofTally tally(TLSRIG_CLIENT, false, 3);
    tally.add(facts_of("TLS_AES_128_GCM_SHA256", TLSRIG_NO), nullptr);
    tally.add(facts_of("TLS_AES_128_GCM_SHA256", TLSRIG_NO), nullptr);
    workloads::Json proof = tally.to_json();
    CHECK(proof.at("version") == "1.3");
    CHECK(proof.at("cipher") == "TLS_AES_128_GCM_SHA256");
    CHECK(proof.at("group").is_null());
    CHECK(proof.at("peer_verified") == true);
    CHECK(proof.at("hello_retry") == false);
    CHECK(proof.at("encrypt_then_mac").is_null());
    CHECK(proof.at("resumed") == workloads::Json{{"yes", 0}, {"no", 2}});
    CHECK(proof.at("connections") == workloads::Json{{"asked", 3}, {"achieved", 2}});
    CHECK(proof.at("wire").at("cipher").is_null());
    CHECK(proof.at("wire").at("read") == 0);

    workloads::ProofTally other(TLSRIG_CLIENT, false, 1);
    other.add(facts_of("TLS_CHACHA20_POLY1305_SHA256", TLSRIG_YES), nullptr);
    tally.add_all(other);
    proof = tally.to_json();
    CHECK(proof.at("cipher") == "mixed: TLS_AES_128_GCM_SHA256, TLS_CHACHA20_POLY1305_SHA256");
    CHECK(proof.at("resumed") == workloads::Json{{"yes", 1}, {"no", 2}});
    CHECK(proof.at("connections").at("achieved") == 3);
  }

  TEST_CASE("a plain backend proves that there is no TLS") {
    workloads::ProofTally tally(TLSRIG_CLIENT, true, 1);
    tally.add(tlsrig_facts{}, nullptr);
    CHECK(tally.to_json().at("version") == "none");
    CHECK(tally.to_json().at("cipher").is_null());
    CHECK(tally.to_json().at("resumed").is_null());
  }

  TEST_CASE("a team runs every member, again and again, and hands on an exception") {
    workloads::Team team(3);
    CHECK(team.threads() == 3);
    std::vector<int> runs(3);
    for (int round = 0; round < 200; ++round) team.run([&](unsigned member) { ++runs[member]; });
    CHECK(runs == std::vector<int>{200, 200, 200});
    std::atomic<int> done = 0;
    CHECK_THROWS_WITH_AS(team.run([&](unsigned member) {
      if (member == 1) throw std::runtime_error("member 1 gave up");
      ++done;
    }),
                         "member 1 gave up", std::runtime_error);
    CHECK(done == 2);
    team.run([&](unsigned) { ++done; });
    CHECK(done == 5);
  }

  TEST_CASE("the layout follows from the seed") {
    const auto first = workloads::Layout(1).to_json();
    CHECK(first == workloads::Layout(1).to_json());
    CHECK(first != workloads::Layout(2).to_json());
    CHECK(first.size() == 4);
  }

  TEST_CASE("roles and slices of the workloads that are offered") {
    CHECK(workloads::automatic_slice_ns(scenario::Workload::engine) == 10'000'000);
    CHECK(workloads::automatic_slice_ns(scenario::Workload::echo) == 20'000'000);
    CHECK(workloads::automatic_slice_ns(scenario::Workload::pipe) == 20'000'000);
    CHECK_THROWS_AS(workloads::automatic_slice_ns(scenario::Workload::idle), workloads::StepError);
  }

  TEST_CASE("settings that are not offered are refused by name") {
    const auto refusal = [](const std::function<void(workloads::Assignment&)>& change) -> std::string {
      workloads::Assignment assignment = tests::assignment_for(tests::faulty_backend(), scenario::Workload::echo);
      assignment.role = "client";
      change(assignment);
      try {
        workloads::make_participant(assignment);
      } catch (const workloads::StepError& error) {
        return error.kind + ": " + error.what();
      }
      return "taken";
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(refusal([](auto&) {}) == "taken");
    CHECK(has(refusal([](auto& a) { a.settings.traffic.rate = 10; }), "config: echo: traffic.rate"));
    CHECK(has(refusal([](auto& a) { a.settings.traffic.write = scenario::WriteStrategy::batched; }), "traffic.write"));
    CHECK(has(refusal([](auto& a) { a.settings.traffic.message_size = 0; }), "message_size"));
    CHECK(has(refusal([](auto& a) { a.settings.traffic.threads = 17; }), "threads is larger than connections"));
    CHECK(has(refusal([](auto& a) { a.settings.tls.resumption = scenario::Resumption::ticket; }), "tls.resumption"));
    CHECK(has(refusal([](auto& a) { a.role = "middle"; }), "\"middle\""));
    CHECK(has(refusal([](auto& a) { a.role = "relay"; }), "config: relay: the scenario has no [relay]"));
    CHECK(has(refusal([](auto& a) { a.client = nullptr; }), "no backend"));
    CHECK(refusal([](auto& a) { a.settings.workload = scenario::Workload::pipe; }) == "taken");
    CHECK(has(refusal([](auto& a) { a.settings.workload = scenario::Workload::idle; }), "\"idle\""));
    const auto engine = [](workloads::Assignment& a) {
      a.settings.workload = scenario::Workload::engine;
      a.role = "engine";
    };
    CHECK(refusal(engine) == "taken");
    CHECK(has(refusal([&](auto& a) {
                engine(a);
                a.settings.engine.message_size = 0;
              }),
              "message_size"));
    CHECK(has(refusal([&](auto& a) {
                engine(a);
                a.settings.engine.operation = scenario::Operation::session_new;
                a.settings.engine.context = scenario::ContextSharing::per_connection;
              }),
              "engine.context"));
  }
}
