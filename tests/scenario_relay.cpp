// One-way workloads and relays: who plays what, and settings that do not go together.
#include <doctest/doctest.h>

#include <algorithm>

#include <tlsrig/scenario/legs.hpp>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

const std::string stream_file = stream_head(), pipe_file = pipe_head();

ScenarioPlan planned(const std::string& text) {
  Outcome outcome = read(text);
  CAPTURE(text);
  REQUIRE_MESSAGE(outcome.plan.has_value(), all_text(outcome));
  return *std::move(outcome.plan);
}

Settings arm_of(const std::string& text, const std::string& id) {
  const ScenarioPlan plan = planned(text);
  const auto& arms = plan.cells.at(0).arms;
  const auto found = std::find_if(arms.begin(), arms.end(), [&](const ArmPlan& arm) { return arm.id == id; });
  REQUIRE(found != arms.end());
  return found->settings;
}

// "client:openssl - relay_inbound:openssl, relay_outbound:plaintcp - server:plaintcp"
std::string path_of(const Settings& settings) {
  std::string text;
  for (const LegPlan& leg : legs_of(settings)) {
    text += (text.empty() ? "" : ", ") + leg.client.name + ":" + leg.client.backend + " - " + leg.server.name + ":" +
            leg.server.backend;
  }
  return text;
}

// The one fault of a file, as "LINE:COLUMN: KEY: ...".
std::string fault_of(const std::string& text) {
  const Outcome outcome = read(text);
  CAPTURE(text);
  const std::string told = all_text(outcome);
  CAPTURE(told);
  REQUIRE(outcome.diagnostics.size() == 1);
  const std::string what = outcome.diagnostics[0].what();
  return what.substr(what.find("test.toml:") + 10);
}

void check_fault(const std::string& text, const std::string& begin, const std::string& part) {
  const std::string fault = fault_of(text);
  CAPTURE(fault);
  CHECK(fault.starts_with(begin));
  CHECK(fault.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("the roles of a workload, in the order in which they start") {
  using Names = std::vector<std::string>;
  CHECK(roles_of(arm_of(engine_head(), "openssl")) == Names{"engine"});
  CHECK(roles_of(arm_of(echo_head(), "openssl")) == Names{"server", "client"});
  CHECK(roles_of(arm_of(echo_head() + "[relay]\n", "openssl")) == Names{"server", "relay", "client"});
  CHECK(roles_of(arm_of(stream_file, "openssl")) == Names{"server", "client"});
  CHECK(roles_of(arm_of(pipe_file + "[relay]\n", "openssl")) == Names{"server", "relay", "client"});
}

TEST_CASE("the far end of a plain leg is plaintcp, and so is everyone in plaintcp's own arm") {
  CHECK(path_of(arm_of(pipe_file + "[relay]\n", "openssl")) ==
        "client:openssl - relay_inbound:openssl, relay_outbound:plaintcp - server:plaintcp");
  CHECK(path_of(arm_of(pipe_file + "[relay]\noutbound = \"tls\"\n", "openssl")) ==
        "client:openssl - relay_inbound:openssl, relay_outbound:openssl - server:openssl");
  CHECK(path_of(arm_of(pipe_file + "[relay]\ninbound = \"plain\"\noutbound = \"tls\"\n[roles]\nclient = \"wolfssl\"\n"
                                   "server = \"gnutls\"\n",
                       "openssl")) ==
        "client:plaintcp - relay_inbound:plaintcp, relay_outbound:openssl - server:gnutls");
  CHECK(path_of(arm_of(pipe_file + "[relay]\nbackend = \"wolfssl\"\noutbound = \"tls\"\n", "plaintcp")) ==
        "client:plaintcp - relay_inbound:plaintcp, relay_outbound:plaintcp - server:plaintcp");
  CHECK(path_of(arm_of(stream_file + "[roles]\nserver = \"gnutls\"\n", "openssl")) == "client:openssl - server:gnutls");
}

TEST_CASE("the transport of a relay is that of both its legs") {
  const auto parts = parts_of(arm_of(pipe_file + "[relay]\ntransport = \"wire\"\n", "openssl"), "relay");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].transport == Transport::wire);
  CHECK(parts[1].transport == Transport::wire);
}

TEST_CASE("operations count where they come to their end") {
  CHECK(counting_role(arm_of(engine_head(), "openssl")) == "engine");
  CHECK(counting_role(arm_of(echo_head(), "openssl")) == "client");
  CHECK(counting_role(arm_of(stream_file, "openssl")) == "server");
  CHECK(counting_role(arm_of(stream_file + "[traffic]\ndirection = \"to-client\"\n", "openssl")) == "client");
  CHECK(counting_role(arm_of(pipe_file + "[relay]\n[traffic]\ndirection = \"to-client\"\n", "openssl")) == "client");
}

TEST_CASE("pipe needs a relay, however it is said") {
  check_fault(pipe_file, "2:12: relay: missing;", "add a table [relay]");
  CHECK(arm_of(pipe_file + "[relay]\n", "openssl").relay.present);
  CHECK(arm_of(pipe_file + "[relay]\nread = \"spin\"\n", "openssl").relay.read == RelayRead::spin);
  const ScenarioPlan by_axis = planned(pipe_file + "[matrix]\n\"relay.read\" = [\"drain\", \"fixed\"]\n");
  CHECK(by_axis.cells.size() == 2);
  CHECK(by_axis.cells[1].arms[0].settings.relay.present);
  Overrides overrides;
  overrides.settings = {{"relay.read_size", "32KiB"}};
  CHECK(read(pipe_file, overrides).plan.has_value());
  CHECK_FALSE(arm_of(echo_head(), "openssl").relay.present);
  check_fault(stream_file + "[relay]\n", "4:2: relay: [relay] belongs to the workloads echo, pipe",
              "workload is stream");
}

TEST_CASE("settings of a relay reach a worker, and none where there is no relay") {
  const Settings relayed = arm_of(pipe_file + "[relay]\nread = \"coalesce\"\nread_size = 5000\n", "openssl");
  const Settings back = settings_from_json(to_json(relayed));
  CHECK(back.relay.present);
  CHECK(back.relay.read == RelayRead::coalesce);
  CHECK(back.relay.read_size == 5000);
  CHECK(back.relay.backend == "openssl");
  const Settings direct = arm_of(echo_head(), "openssl");
  CHECK_FALSE(to_json(direct).contains("relay"));
  CHECK_FALSE(settings_from_json(to_json(direct)).relay.present);
}

TEST_CASE("roles that cannot be") {
  const std::string both_plain = pipe_file + "[relay]\ninbound = \"plain\"\n";
  check_fault(both_plain, "5:11: relay.inbound: both legs of the relay are plain", "plaintcp in `backends`");
  check_fault(pipe_file + "[roles]\nclient = \"openssl\"\nserver = \"openssl\"\n[relay]\nbackend = \"openssl\"\n",
              "5:10: roles.client.backend: no role is \"backend\"", "make one of them");
  check_fault(pipe_file + "[relay]\nbackend = \"plaintcp\"\n", "5:11: relay.backend: plaintcp speaks no TLS",
              "the server of a session with openssl");
  check_fault(pipe_file + "[roles]\nclient = \"plaintcp\"\n[relay]\n",
              "5:10: roles.client.backend: plaintcp speaks no TLS", "the client of a session with openssl");
  check_fault(pipe_file + "[roles]\nclient = \"openssl\"\n[relay]\nbackend = \"openssl\"\n",
              "5:10: roles.client.backend: no role is \"backend\"", "make one of them");  // the server is plaintcp
  check_fault(pipe_file +
                  "[roles]\nserver = \"openssl\"\n[relay]\nbackend = \"openssl\"\ninbound = \"plain\"\n"
                  "outbound = \"tls\"\n",
              "5:10: roles.server.backend: no role is \"backend\"", "make one of them");
  CHECK(read(pipe_file + "[roles]\nserver = \"plaintcp\"\n[relay]\n").plan.has_value());
  CHECK(read(pipe_file + "[roles]\nclient = \"openssl\"\nserver = \"openssl\"\n[relay]\n").plan.has_value());
}

TEST_CASE("ways to write that cannot be") {
  check_fault(stream_file + "[traffic]\nwrite = \"batched\"\n",
              "5:9: traffic.write: ", "needs roles.client.transport = \"wire\"");
  check_fault(
      stream_file + "[traffic]\nwrite = \"batched\"\ndirection = \"to-client\"\n[roles.client]\ntransport = \"wire\"\n",
      "5:9: traffic.write: ", "needs roles.server.transport = \"wire\"");
  check_fault(echo_head() + "[traffic]\nwrite = \"coalesced\"\n", "5:9: traffic.write: workload = \"echo\"",
              "allowed with it: \"per-message\"");
  CHECK(read(stream_file + "[traffic]\nwrite = \"coalesced\"\n").plan.has_value());
  CHECK(read(stream_file + "[traffic]\nwrite = \"batched\"\n[roles.client]\ntransport = \"wire\"\n").plan.has_value());
  check_fault(stream_file + "[traffic]\npipeline = 2\n", "5:1: traffic.pipeline: belongs to the workload echo",
              "stream");
  check_fault(stream_file + "[traffic]\nconnections = 10000\nmessage_size = \"16MiB\"\n",
              "5:15: traffic.connections: ", "10000 x 16MiB is more than 8GiB");
}

TEST_CASE("buffers that no machine has are refused before anything runs") {
  const std::string wires = "[roles]\nclient = { transport = \"wire\" }\n";
  check_fault(stream_file + wires + "[socket]\nread_size = \"16MiB\"\n[traffic]\nconnections = 10000\n",
              "9:15: traffic.connections: ", "would take more than 8GiB");
  check_fault(stream_file + wires +
                  "[traffic]\nconnections = 10000\nmessage_size = 1\nwrite = \"batched\"\nbatch_size = \"1MiB\"\n",
              "7:15: traffic.connections: ", "would take more than 8GiB");
  check_fault(pipe_file +
                  "[relay]\nread = \"fixed\"\nread_size = \"128KiB\"\ntransport = \"wire\"\n[socket]\n"
                  "read_size = \"1MiB\"\n[traffic]\nconnections = 5000\n",
              "11:15: traffic.connections: ", "would take more than 8GiB");
  CHECK(read(stream_file + wires + "[traffic]\nconnections = 10000\n").plan.has_value());
}

TEST_CASE("values without effect make no cell") {
  const std::string batches = "\"traffic.batch_size\" = [\"1KiB\", \"64KiB\"]\n";
  CHECK(planned(stream_file + "[matrix]\n" + batches).cells.size() == 1);
  CHECK(planned(stream_file + "[traffic]\nwrite = \"coalesced\"\n[matrix]\n" + batches).cells.size() == 2);
  // Who is behind a plain leg is plaintcp, whoever it might have been.
  const std::string servers = "\"roles.server.backend\" = [\"openssl\", \"wolfssl\"]\n";
  CHECK(planned(pipe_file + "[relay]\n[matrix]\n" + servers).cells.size() == 1);
  CHECK(planned(pipe_file + "[relay]\noutbound = \"tls\"\n[matrix]\n" + servers).cells.size() == 2);
  // The reading of a relay is something that plaintcp has too; what its legs speak is not.
  const std::string reads = "\"relay.read\" = [\"per-record\", \"coalesce\"]\n";
  const ScenarioPlan read_plan = planned("arms = \"relay.read\"\n" + pipe_file + "[matrix]\n" + reads);
  REQUIRE(read_plan.cells.size() == 2);
  CHECK(read_plan.cells[1].arms.size() == 3);
  const std::string legs = "\"relay.outbound\" = [\"plain\", \"tls\"]\n";
  const ScenarioPlan leg_plan = planned("arms = \"relay.outbound\"\n" + pipe_file + "[matrix]\n" + legs);
  REQUIRE(leg_plan.cells.size() == 2);
  CHECK(leg_plan.cells[0].arms.size() == 3);
  CHECK(leg_plan.cells[1].arms.size() == 2);  // one and its twin
}

TEST_CASE("engine: anchors are those that tlsrig makes, and buffers are nothing to a handshake") {
  const std::string engine = engine_head();
  const std::string own = "certificate = { chain = \"/etc/passwd\", key = \"/etc/passwd\", trust = \"/etc/passwd\" }\n";
  check_fault(engine + "[engine]\noperation = \"context-new\"\ntrust_anchors = 100\n[tls]\n" +
                  "cipher = \"TLS_AES_128_GCM_SHA256\"\n" + own,
              "6:17: engine.trust_anchors: ", "leave the key out");
  const auto cells = [&](const std::string& operation, const std::string& axis) {
    return planned(engine + "[engine]\noperation = \"" + operation + "\"\n[matrix]\n" + axis).cells.size();
  };
  const std::string buffers = "\"engine.buffers\" = [\"direct\", \"pool\"]\n";
  CHECK(cells("wrap", buffers) == 2);
  CHECK(cells("session-new", buffers) == 1);
  const std::string anchors = "\"engine.trust_anchors\" = [1, 100]\n";
  CHECK(cells("context-new", anchors) == 2);
  CHECK(cells("unwrap", anchors) == 1);
  CHECK(cells("session-new", anchors) == 1);
  CHECK(cells("context-new\"\n[tls]\nverify = \"none", anchors) == 1);
}
