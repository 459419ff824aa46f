// Set-up through the SDK: exceptions become answers, and hosts older and newer than the plugin are understood or
// refused.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "sdk_toy.hpp"

namespace {

using tlsrig::sdk::Failure;
using tlsrig::sdk::Unsupported;
using toy::Bench;
using toy::Slots;

tlsrig_context* const no_context = reinterpret_cast<tlsrig_context*>(0x10);  // stays when nothing is made
tlsrig_session* const no_session = reinterpret_cast<tlsrig_session*>(0x20);

struct Creation {
  tlsrig_result result = TLSRIG_OK;
  tlsrig_context* context = no_context;
  tlsrig_error error{};

  explicit Creation(const tlsrig_config& config, std::function<void(const tlsrig_config&)> on_create = {}) {
    toy::Context::on_create = std::move(on_create);
    result = Slots::table().create_context(&config, &context, &error);
    toy::Context::on_create = {};
  }
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;
  ~Creation() {
    if (context != no_context) Slots::table().destroy_context(context);
  }
  std::string text() const { return error.text; }
};

tlsrig_config whole() {
  tlsrig_config config{};
  config.struct_size = sizeof config;
  return config;
}

// A host's configuration of any size: the fields of today and bytes of a later day.
struct NewerConfig {
  tlsrig_config known = whole();
  std::uint64_t later[2] = {};
};

}  // namespace

TEST_SUITE_BEGIN("sdk.setup");

TEST_CASE("the table says what it is") {
  const tlsrig_backend table = Slots::table();
  CHECK(table.abi_version == TLSRIG_ABI_VERSION);
  CHECK(table.struct_size == sizeof(tlsrig_backend));
  CHECK(table.extension("toy/1") != nullptr);
  CHECK(table.extension("toy/2") == nullptr);
  table.close(nullptr);
  table.destroy_context(nullptr);
}

TEST_CASE("what a context throws becomes an answer, and no context is written") {
  const Creation unsupported(whole(), [](const auto&) { throw Unsupported("toy does not have the cipher X"); });
  CHECK(unsupported.result == TLSRIG_UNSUPPORTED);
  CHECK(unsupported.text() == "toy does not have the cipher X");
  CHECK(unsupported.context == no_context);

  const Creation failure(whole(), [](const auto&) { throw Failure(TLSRIG_ERROR_CERTIFICATE, "expired", 10); });
  CHECK(failure.result == TLSRIG_ERROR);
  CHECK(failure.error.kind == TLSRIG_ERROR_CERTIFICATE);
  CHECK(failure.error.code == 10);
  CHECK(failure.error.alert == -1);
  CHECK(failure.text() == "expired");
  CHECK(failure.context == no_context);

  const Creation standard(whole(), [](const auto&) { throw std::runtime_error("out of luck"); });
  CHECK(standard.result == TLSRIG_ERROR);
  CHECK(standard.error.kind == TLSRIG_ERROR_OTHER);
  CHECK(standard.text() == "out of luck");

  const Creation other(whole(), [](const auto&) { throw 42; });
  CHECK(other.result == TLSRIG_ERROR);
  CHECK(other.error.kind == TLSRIG_ERROR_OTHER);
  CHECK(!other.text().empty());
}

TEST_CASE("what start throws becomes an answer") {
  const tlsrig_info* info = nullptr;
  tlsrig_error error{};
  toy::Context::on_start = [] { throw Failure(TLSRIG_ERROR_CONFIG, "another library"); };
  CHECK(Slots::table().start(&info, &error) == TLSRIG_ERROR);
  CHECK(info == nullptr);
  CHECK(std::string(error.text) == "another library");
  toy::Context::on_start = {};
  CHECK(Slots::table().start(&info, &error) == TLSRIG_OK);
  CHECK(std::string(info->name) == "toy");
}

TEST_CASE("what a session throws becomes an answer, and no session is written") {
  Bench bench;
  const tlsrig_transport transport{TLSRIG_WIRE, -1, &bench.wire};
  tlsrig_session* session = no_session;
  tlsrig_error error{};
  bench.script().on_open = [] { throw Unsupported("toy cannot do this"); };
  CHECK(bench.table.open(bench.context, &transport, nullptr, &session, &error) == TLSRIG_UNSUPPORTED);
  CHECK(session == no_session);
  bench.script().on_open = [] { throw Failure(TLSRIG_ERROR_SYSTEM, "no memory", ENOMEM); };
  CHECK(bench.table.open(bench.context, &transport, nullptr, &session, &error) == TLSRIG_ERROR);
  CHECK(session == no_session);
  CHECK(error.kind == TLSRIG_ERROR_SYSTEM);
  CHECK(error.code == ENOMEM);
}

TEST_CASE("open forgets an earlier error, hands the name on, and close frees the session") {
  Bench bench;
  const tlsrig_transport transport{TLSRIG_WIRE, -1, &bench.wire};
  tlsrig_session* session = nullptr;
  tlsrig_error error{};
  tlsrig::sdk::set_error(error, TLSRIG_ERROR_PROTOCOL, 1, 2, "of another session");
  REQUIRE(bench.table.open(bench.context, &transport, "a.test", &session, &error) == TLSRIG_OK);
  CHECK(error.kind == TLSRIG_ERROR_OTHER);
  CHECK(error.alert == -1);
  CHECK(std::string(error.text).empty());
  CHECK(Slots::held(session).session.server_name == "a.test");
  bench.table.close(session);
  CHECK(bench.script().closed == 1);
}

TEST_CASE("an extension's open reaches the session's constructor with what it adds") {
  Bench bench;
  const tlsrig_transport transport{TLSRIG_WIRE, -1, &bench.wire};
  tlsrig_session* session = nullptr;
  tlsrig_error error{};
  REQUIRE(Slots::open_with(bench.context, &transport, nullptr, &session, &error, 5) == TLSRIG_OK);
  CHECK(Slots::held(session).session.ticket == 5);
  bench.table.close(session);
}

TEST_CASE("a transport that cannot be used does not reach the backend") {
  Bench bench;
  const tlsrig_transport unusable[] = {
      {TLSRIG_WIRE, 0, nullptr}, {TLSRIG_FD, -1, &bench.wire}, {0, 0, &bench.wire}, {4, 0, &bench.wire}};
  for (const tlsrig_transport& transport : unusable) {
    tlsrig_session* session = no_session;
    tlsrig_error error{};
    CHECK(bench.table.open(bench.context, &transport, nullptr, &session, &error) == TLSRIG_ERROR);
    CHECK(session == no_session);
    CHECK(error.kind == TLSRIG_ERROR_CONFIG);
    CHECK(std::string(error.text).find("needed is") != std::string::npos);
  }
}

TEST_CASE("an older host's configuration is completed with zeros") {
  tlsrig_config config = whole();
  config.struct_size = offsetof(tlsrig_config, tickets);
  config.role = TLSRIG_SERVER;
  config.verify_peer = TLSRIG_ON;
  config.tickets = 3;  // what lies there is not part of that host's struct
  config.read_ahead = TLSRIG_ON;
  const Creation creation(config);
  REQUIRE(creation.result == TLSRIG_OK);
  const tlsrig_config& known = Slots::context_of(creation.context).config;
  CHECK(known.struct_size == sizeof(tlsrig_config));
  CHECK(known.role == TLSRIG_SERVER);
  CHECK(known.verify_peer == TLSRIG_ON);
  CHECK(known.tickets == 0);
  CHECK(known.read_ahead == 0);
}

TEST_CASE("a newer host's configuration is taken when its new fields are 0, else unsupported") {
  NewerConfig config;
  config.known.struct_size = sizeof config;
  config.known.record_size_max = 4096;
  const Creation zero(config.known);
  REQUIRE(zero.result == TLSRIG_OK);
  CHECK(Slots::context_of(zero.context).config.record_size_max == 4096);
  CHECK(Slots::context_of(zero.context).config.struct_size == sizeof(tlsrig_config));

  config.later[1] = 1;
  const Creation set(config.known);
  CHECK(set.result == TLSRIG_UNSUPPORTED);
  CHECK(set.text().find("newer than this plugin") != std::string::npos);
  CHECK(set.context == no_context);
}

TEST_CASE("a configuration without size or with an unknown role is refused") {
  tlsrig_config config{};
  const Creation without_size(config);
  CHECK(without_size.result == TLSRIG_ERROR);
  CHECK(without_size.error.kind == TLSRIG_ERROR_CONFIG);
  CHECK(without_size.text().find("struct_size is 0") != std::string::npos);
  config = whole();
  config.role = 2;
  const Creation unknown_role(config);
  CHECK(unknown_role.result == TLSRIG_ERROR);
  CHECK(unknown_role.text().find("role is 2") != std::string::npos);
}

TEST_CASE("an error's text is cut to what fits, and is always ended") {
  const std::string words(1000, 'x');
  const Creation creation(whole(), [&](const auto&) { throw Failure(TLSRIG_ERROR_OTHER, words); });
  REQUIRE(creation.result == TLSRIG_ERROR);
  CHECK(creation.text() == words.substr(0, sizeof creation.error.text - 1));
  tlsrig_error error{};
  tlsrig::sdk::set_error(error, TLSRIG_ERROR_OTHER, 0, -1, nullptr);
  CHECK(std::string(error.text).empty());
}

TEST_CASE("a system error has the errno and the C library's words") {
  tlsrig_error error{};
  tlsrig::sdk::set_system_error(error, ECONNRESET);
  CHECK(error.kind == TLSRIG_ERROR_SYSTEM);
  CHECK(error.code == ECONNRESET);
  CHECK(error.alert == -1);
  CHECK(std::string(error.text) == "Connection reset by peer");
}

TEST_SUITE_END();
