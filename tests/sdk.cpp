// The session laws that the SDK enforces: what a backend's session never sees, and what the host sees instead.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <tlsrig/sdk/wire.hpp>

#include "sdk_toy.hpp"

namespace {

using toy::Answer;
using toy::Bench;

struct Established : Bench {
  Established() { REQUIRE(handshake() == TLSRIG_OK); }
};

struct ThrowingSession : toy::Session {
  tlsrig_result handshake() { return TLSRIG_OK; }
};
static_assert(tlsrig::sdk::HotPathIsNoexcept<toy::Session>);
static_assert(!tlsrig::sdk::HotPathIsNoexcept<ThrowingSession>);

}  // namespace

TEST_SUITE_BEGIN("sdk.laws");

TEST_CASE("law 3: an empty write is OK at any time but after an error, without a call") {
  Bench bench;
  const auto write_nothing = [&] {
    bench.size = Bench::untouched;
    return bench.write(0) == TLSRIG_OK && bench.size == 0;
  };
  CHECK(write_nothing());
  REQUIRE(bench.handshake() == TLSRIG_OK);
  CHECK(write_nothing());
  bench.script().write = {TLSRIG_WANT_WRITE};
  REQUIRE(bench.write(9) == TLSRIG_WANT_WRITE);
  CHECK(write_nothing());
  bench.script().write = {TLSRIG_OK, 9};
  REQUIRE(bench.write(9) == TLSRIG_OK);
  REQUIRE(bench.shutdown() == TLSRIG_OK);
  CHECK(write_nothing());
  CHECK(bench.script().writes == 2);
  bench.script().read = {TLSRIG_ERROR};
  REQUIRE(bench.read() == TLSRIG_ERROR);
  CHECK(bench.write(0) == TLSRIG_ERROR);
}

TEST_CASE("law 3: a write is cut to 16,384 bytes") {
  Established bench;
  bench.script().write = {TLSRIG_OK, 16384};
  CHECK(bench.write(100'000) == TLSRIG_OK);
  CHECK(bench.script().last_write_size == 16384);
  CHECK(bench.size == 16384);
  bench.script().write = {TLSRIG_OK, 100};
  CHECK(bench.write(100) == TLSRIG_OK);
  CHECK(bench.script().last_write_size == 100);
}

TEST_CASE("law 3: a blocked write is repeated in the same size, and reads may come between") {
  Established bench;
  for (const tlsrig_result blocked : {TLSRIG_WANT_WRITE, TLSRIG_WANT_READ}) {
    bench.size = Bench::untouched;
    bench.script().write = {blocked, 9};
    CHECK(bench.write(500) == blocked);
    CHECK(bench.size == Bench::untouched);
    bench.script().read = {TLSRIG_OK, 3};
    CHECK(bench.read() == TLSRIG_OK);
    bench.script().write = {TLSRIG_OK, 500};
    CHECK(bench.write(500) == TLSRIG_OK);
    CHECK(bench.write(600) == TLSRIG_OK);  // no longer blocked
  }
}

TEST_CASE("law 3: a blocked write repeated in another size ends the session") {
  for (const std::size_t other : {499u, 501u}) {
    Established bench;
    bench.script().write = {TLSRIG_WANT_WRITE};
    REQUIRE(bench.write(500) == TLSRIG_WANT_WRITE);
    CHECK(bench.write(other) == TLSRIG_ERROR);
    CHECK(bench.script().writes == 1);
    CHECK(bench.error.kind == TLSRIG_ERROR_CONFIG);
    CHECK(std::string(bench.error.text).find("another size") != std::string::npos);
    CHECK(bench.dead());
  }
}

TEST_CASE("laws 3 and 4: OK with no byte or with too many is the backend's error, not the runner's loop") {
  for (const std::size_t impossible : {std::size_t{0}, std::size_t{65}}) {
    Established reader, writer;
    reader.script().read = {TLSRIG_OK, impossible};
    CHECK(reader.read(64) == TLSRIG_ERROR);
    CHECK(reader.size == Bench::untouched);
    CHECK(reader.error.kind == TLSRIG_ERROR_OTHER);
    CHECK(std::string(reader.error.text).find("the backend's read answered OK with") == 0);
    CHECK(reader.dead());
    writer.script().write = {TLSRIG_OK, impossible};
    CHECK(writer.write(64) == TLSRIG_ERROR);
    CHECK(writer.size == Bench::untouched);
    CHECK(writer.dead());
  }
}

TEST_CASE("law 4: a read without room does not reach the backend") {
  Established bench;
  CHECK(bench.read(0) == TLSRIG_OK);
  CHECK(bench.size == 0);
  CHECK(bench.script().reads == 0);
}

TEST_CASE("law 8: a size is written on OK only") {
  Established bench;
  for (const tlsrig_result result : {TLSRIG_WANT_READ, TLSRIG_WANT_WRITE, TLSRIG_CLOSED}) {
    bench.script().read = {result, 11};
    CHECK(bench.read() == result);
    CHECK(bench.size == Bench::untouched);
  }
}

TEST_CASE("law 5: CLOSED stays, and does not forbid write") {
  Established bench;
  bench.script().read = {TLSRIG_CLOSED};
  CHECK(bench.read() == TLSRIG_CLOSED);
  bench.script().read = {TLSRIG_OK, 1};
  CHECK(bench.read() == TLSRIG_CLOSED);
  CHECK(bench.script().reads == 1);
  bench.script().write = {TLSRIG_OK, 5};
  CHECK(bench.write(5) == TLSRIG_OK);
}

TEST_CASE("law 6: shutdown is repeated until OK, then is OK without a call; reading goes on, writing does not") {
  Established bench;
  bench.script().shutdown = {TLSRIG_WANT_WRITE};
  CHECK(bench.shutdown() == TLSRIG_WANT_WRITE);
  bench.script().shutdown = {TLSRIG_OK};
  CHECK(bench.shutdown() == TLSRIG_OK);
  CHECK(bench.shutdown() == TLSRIG_OK);
  CHECK(bench.script().shutdowns == 2);
  bench.script().read = {TLSRIG_OK, 2};
  CHECK(bench.read() == TLSRIG_OK);
  bench.script().read = {TLSRIG_CLOSED};
  CHECK(bench.read() == TLSRIG_CLOSED);
  CHECK(bench.write(1) == TLSRIG_ERROR);
  CHECK(bench.script().writes == 0);
  CHECK(std::string(bench.error.text) == "write after shutdown");
}

TEST_CASE("law 6: no write once shutdown was begun") {
  Established bench;
  bench.script().shutdown = {TLSRIG_WANT_WRITE};
  REQUIRE(bench.shutdown() == TLSRIG_WANT_WRITE);
  CHECK(bench.write(1) == TLSRIG_ERROR);
  CHECK(bench.script().writes == 0);
}

TEST_CASE("law 6: shutdown while a write is blocked ends the session") {
  Established bench;
  bench.script().write = {TLSRIG_WANT_WRITE};
  REQUIRE(bench.write(10) == TLSRIG_WANT_WRITE);
  CHECK(bench.shutdown() == TLSRIG_ERROR);
  CHECK(bench.script().shutdowns == 0);
  CHECK(bench.error.kind == TLSRIG_ERROR_CONFIG);
  CHECK(bench.dead());
}

TEST_CASE("law 7: before the handshake is OK nothing else reaches the backend") {
  for (int call = 0; call < 3; ++call) {
    Bench bench;
    bench.script().handshake = {TLSRIG_WANT_READ};
    REQUIRE(bench.handshake() == TLSRIG_WANT_READ);
    CHECK((call == 0 ? bench.read() : call == 1 ? bench.write(1) : bench.shutdown()) == TLSRIG_ERROR);
    CHECK(bench.error.kind == TLSRIG_ERROR_CONFIG);
    CHECK(bench.error.alert == -1);
    CHECK(std::string(bench.error.text).find("before the handshake was OK") != std::string::npos);
    CHECK(bench.script().reads + bench.script().writes + bench.script().shutdowns == 0);
    CHECK(bench.dead());
    CHECK(bench.script().handshakes == 1);
  }
}

TEST_CASE("law 7: after OK the handshake is OK without a call") {
  Established bench;
  bench.script().handshake = {TLSRIG_ERROR};
  CHECK(bench.handshake() == TLSRIG_OK);
  CHECK(bench.script().handshakes == 1);
}

TEST_CASE("law 7: after ERROR every call is ERROR, none reaches the backend, and the first words stay") {
  for (int call = 0; call < 3; ++call) {
    Established bench;
    bench.script().read = bench.script().write = bench.script().shutdown = {TLSRIG_ERROR};
    CHECK((call == 0 ? bench.read() : call == 1 ? bench.write(8) : bench.shutdown()) == TLSRIG_ERROR);
    const auto calls = [&] { return bench.script().reads + bench.script().writes + bench.script().shutdowns; };
    CHECK(calls() == 1);
    CHECK(bench.dead());
    CHECK(bench.write(0) == TLSRIG_ERROR);
    CHECK(bench.shutdown() == TLSRIG_ERROR);
    CHECK(calls() == 1);
    CHECK(bench.error.kind == TLSRIG_ERROR_PROTOCOL);
    CHECK(bench.error.code == 7);
    CHECK(bench.error.alert == 40);
    CHECK(std::string(bench.error.text) == "the library's own words");
  }
}

TEST_CASE("law 7: a handshake may name a limit of the library, and ends with it") {
  Bench bench;
  bench.script().handshake = {TLSRIG_UNSUPPORTED};
  CHECK(bench.handshake() == TLSRIG_UNSUPPORTED);
  CHECK(bench.dead());
}

TEST_CASE("an answer that a slot may not give is an error that names the slot") {
  const auto says = [](const Bench& bench, const std::string& slot) {
    return bench.error.kind == TLSRIG_ERROR_OTHER &&
           std::string(bench.error.text).find("the backend's " + slot + " answered") == 0;
  };
  Bench handshaking;
  handshaking.script().handshake = {TLSRIG_CLOSED};
  CHECK(handshaking.handshake() == TLSRIG_ERROR);
  CHECK(says(handshaking, "handshake"));
  for (const tlsrig_result odd : {TLSRIG_CLOSED, TLSRIG_UNSUPPORTED, tlsrig_result{77}, tlsrig_result{-1}}) {
    Established writer, closer, reader;
    writer.script().write = closer.script().shutdown = reader.script().read = {odd};
    CHECK(writer.write(3) == TLSRIG_ERROR);
    CHECK(says(writer, "write"));
    CHECK(closer.shutdown() == TLSRIG_ERROR);
    CHECK(says(closer, "shutdown"));
    if (odd == TLSRIG_CLOSED) continue;
    CHECK(reader.read() == TLSRIG_ERROR);
    CHECK(says(reader, "read"));
  }
}

TEST_CASE("describe reaches the backend after the handshake only, and writes no more than the host has room for") {
  Bench bench;
  tlsrig_facts facts{};
  facts.struct_size = sizeof facts;
  bench.table.describe(bench.session, &facts);
  CHECK(bench.script().descriptions == 0);
  REQUIRE(bench.handshake() == TLSRIG_OK);
  bench.script().facts.protocol = TLSRIG_TLS_1_3;
  bench.script().facts.cipher = "TLS_AES_128_GCM_SHA256";
  bench.table.describe(bench.session, &facts);
  CHECK(facts.struct_size == sizeof facts);
  CHECK(facts.protocol == TLSRIG_TLS_1_3);
  CHECK(std::string(facts.cipher) == "TLS_AES_128_GCM_SHA256");

  tlsrig_facts old{};
  old.struct_size = offsetof(tlsrig_facts, cipher);
  bench.table.describe(bench.session, &old);
  CHECK(old.struct_size == offsetof(tlsrig_facts, cipher));
  CHECK(old.protocol == TLSRIG_TLS_1_3);
  CHECK(old.cipher == nullptr);
}

TEST_CASE("bytes move through the windows of a wire, as many as fit") {
  std::uint8_t out[4] = {};
  const std::uint8_t in[3] = {1, 2, 3};
  tlsrig_wire wire{.in = in, .in_size = 3, .in_used = 1, .out = out, .out_size = 4, .out_used = 1, .in_ended = 0};
  std::uint8_t taken[8] = {};
  CHECK(tlsrig::sdk::take(wire, taken, sizeof taken) == 2);
  CHECK(taken[0] == 2);
  CHECK(taken[1] == 3);
  CHECK(wire.in_used == 3);
  CHECK(tlsrig::sdk::take(wire, taken, sizeof taken) == 0);
  CHECK(tlsrig::sdk::put(wire, "abcdef", 6) == 3);
  CHECK(std::memcmp(out + 1, "abc", 3) == 0);
  CHECK(tlsrig::sdk::room(wire) == 0);
  CHECK(tlsrig::sdk::put(wire, "abcdef", 6) == 0);
}

TEST_SUITE_END();
