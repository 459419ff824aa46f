// The tables of the extensions as the SDK makes them: who owns a ticket, and that the laws hold for these calls too.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "sdk_toy.hpp"

namespace {

using tlsrig::sdk::Unsupported;
using toy::Slots;

constexpr tlsrig_resumption resumption = tlsrig::sdk::resumption_table<toy::Context, toy::Session>();
constexpr tlsrig_keylog keylog = tlsrig::sdk::keylog_table<toy::Context, toy::Session>();
constexpr tlsrig_pending pending = tlsrig::sdk::pending_table<toy::Context, toy::Session>();

struct Established : toy::Bench {
  Established() { REQUIRE(handshake() == TLSRIG_OK); }

  tlsrig_ticket* taken() {
    script().tickets_to_give = 1;
    tlsrig_ticket* ticket = nullptr;
    REQUIRE(resumption.take(session, &ticket) == TLSRIG_OK);
    REQUIRE(ticket != nullptr);
    return ticket;
  }
};

tlsrig_ticket* const no_ticket = reinterpret_cast<tlsrig_ticket*>(0x30);     // stays when none is given
tlsrig_session* const no_session = reinterpret_cast<tlsrig_session*>(0x40);  // stays when none is opened

}  // namespace

TEST_SUITE_BEGIN("sdk.extensions");

TEST_CASE("take gives what the backend has, then WANT_READ, and release frees it") {
  Established bench;
  tlsrig_ticket* const ticket = bench.taken();
  CHECK(bench.script().tickets_alive == 1);
  tlsrig_ticket* none = no_ticket;
  CHECK(resumption.take(bench.session, &none) == TLSRIG_WANT_READ);
  CHECK(none == no_ticket);
  resumption.release(ticket);
  CHECK(bench.script().tickets_alive == 0);
  resumption.release(nullptr);
}

TEST_CASE("an open consumes its ticket whatever it answers") {
  Established bench;
  const tlsrig_transport wire{TLSRIG_WIRE, -1, &bench.wire}, unusable{0, -1, nullptr};
  tlsrig_error error{};
  tlsrig_session* session = no_session;

  CHECK(resumption.open(bench.context, &unusable, nullptr, bench.taken(), &session, &error) == TLSRIG_ERROR);
  CHECK(bench.script().tickets_alive == 0);
  CHECK(session == no_session);

  bench.script().on_open = [] { throw Unsupported("toy cannot"); };
  CHECK(resumption.open(bench.context, &wire, nullptr, bench.taken(), &session, &error) == TLSRIG_UNSUPPORTED);
  CHECK(bench.script().tickets_alive == 0);
  CHECK(session == no_session);
  bench.script().on_open = {};

  CHECK(resumption.open(bench.context, &wire, nullptr, nullptr, &session, &error) == TLSRIG_ERROR);
  CHECK(std::string(error.text).find("no ticket") != std::string::npos);

  REQUIRE(resumption.open(bench.context, &wire, "a.test", bench.taken(), &session, &error) == TLSRIG_OK);
  CHECK(bench.script().tickets_alive == 0);
  CHECK(Slots::held(session).session.ticket == 1);
  CHECK(Slots::held(session).session.server_name == "a.test");
  CHECK(std::string(error.text).empty());
  std::size_t size = 0;
  std::uint8_t byte = 0;
  CHECK(bench.table.read(session, &byte, 1, &size) == TLSRIG_ERROR);  // the laws hold: no read before the handshake
  bench.table.close(session);
}

TEST_CASE("before the handshake is OK nothing of an extension reaches the session") {
  toy::Bench bench;
  bench.script().pending = 5;
  CHECK(resumption.tickets_received(bench.session) == 0);
  CHECK(pending.bytes(bench.session) == 0);
  tlsrig_ticket* ticket = no_ticket;
  CHECK(resumption.take(bench.session, &ticket) == TLSRIG_ERROR);
  CHECK(ticket == no_ticket);
  CHECK(std::string(bench.error.text) == "take before the handshake was OK");
  CHECK(bench.dead());
}

TEST_CASE("after it they tell what the session says") {
  Established bench;
  bench.script().pending = 5;
  CHECK(resumption.tickets_received(bench.session) == 3);
  CHECK(pending.bytes(bench.session) == 5);
}

TEST_CASE("what take throws ends the session, in words") {
  Established bench;
  bench.script().on_take = [] { throw std::runtime_error("no memory for a ticket"); };
  tlsrig_ticket* ticket = no_ticket;
  CHECK(resumption.take(bench.session, &ticket) == TLSRIG_ERROR);
  CHECK(ticket == no_ticket);
  CHECK(std::string(bench.error.text) == "no memory for a ticket");
  CHECK(bench.dead());
}

TEST_CASE("a key log is started on the context, or refused in words") {
  toy::Bench bench;
  tlsrig_error error{};
  CHECK(keylog.start(bench.context, 7, &error) == TLSRIG_OK);
  CHECK(bench.script().keylog_fd == 7);
  CHECK(keylog.start(bench.context, -1, &error) == TLSRIG_ERROR);
  CHECK(std::string(error.text) == "no fd");
}

TEST_SUITE_END();
