// Scenarios in JSON: the effective one of a plan, and settings there and back.
#include <doctest/doctest.h>

#include "scenario_support.hpp"

using namespace scenario_test;

namespace {

using Json = nlohmann::ordered_json;

// A JSON value as TOML, tables inline; null members are left out.
std::string toml_of(const Json& json) {
  if (!json.is_structured()) {
    return json.dump();
  }
  std::string out;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_null()) {
      out += (out.empty() ? "" : ", ") + (json.is_object() ? "\"" + name + "\" = " : "") + toml_of(value);
    }
  }
  return json.is_object() ? "{ " + out + " }" : "[" + out + "]";
}

void check_same_plan(const ScenarioPlan& left, const ScenarioPlan& right) {
  CHECK(left.name == right.name);
  CHECK(left.description == right.description);
  CHECK(left.backends == right.backends);
  REQUIRE(cell_ids(left) == cell_ids(right));
  REQUIRE(left.thresholds.size() == right.thresholds.size());
  for (std::size_t i = 0; i < left.thresholds.size(); ++i) {
    CHECK(left.thresholds[i].kind == right.thresholds[i].kind);
    CHECK(left.thresholds[i].expr == right.thresholds[i].expr);
    CHECK(left.thresholds[i].targets.size() == right.thresholds[i].targets.size());
  }
  for (std::size_t i = 0; i < left.cells.size(); ++i) {
    CHECK(left.cells[i].baseline == right.cells[i].baseline);
    CHECK(left.cells[i].parameters == right.cells[i].parameters);
    REQUIRE(arm_ids(left.cells[i]) == arm_ids(right.cells[i]));
    for (std::size_t j = 0; j < left.cells[i].arms.size(); ++j) {
      CHECK(to_json(left.cells[i].arms[j].settings) == to_json(right.cells[i].arms[j].settings));
    }
  }
}

}  // namespace

TEST_CASE("the effective scenario says the same again") {
  const std::string engine = engine_head() +
                             "arms = \"tls.policy\"\n[matrix]\n\"tls.policy\" = [\"pinned\", \"as-shipped\"]\n"
                             "\"engine.message_size\" = [64, \"1KiB\"]\n\"tls.certificate\" = [\"rsa-2048\"]\n";
  const std::string roles = echo_head() +
                            "[roles]\nserver = [\"backend\", { backend = \"wolfssl\", transport = \"wire\" }]\n"
                            "[matrix]\n\"socket.nodelay\" = [true, false]\n";
  const std::string shipped = echo_head() + "[tls]\npolicy = \"as-shipped\"\n";
  const std::string transports = echo_head() +
                                 "[roles]\nclient = [\"openssl\", \"wolfssl\"]\n[matrix]\n"
                                 "\"roles.client.transport\" = [\"fd\", \"wire\"]\n";
  const std::string demanding =
      echo_head() +
      "[thresholds]\nratio = [{ backend = \"plaintcp\", metric = \"throughput\", expr = \"low > 0.95\" }]\n"
      "rate = [{ backend = \"openssl\", metric = \"throughput\", expr = \"low > 1/s\", cell = \"te\" }]\n";
  for (const std::string& text : {echo_head(), full_echo, roles, transports, shipped, demanding}) {
    const ScenarioPlan plan = plan_of(text);
    Json effective = plan.effective;
    CHECK(effective.at("quick") == false);
    effective.erase("quick");
    effective.erase("changed");
    std::string again;
    for (const auto& [name, value] : effective.items()) {
      again += name + " = " + toml_of(value) + "\n";
    }
    check_same_plan(plan, plan_of(again));
  }
  const ScenarioPlan plan = plan_of(engine);
  CHECK(plan.effective["matrix"]["engine.message_size"] == Json::array({"64B", "1KiB"}));
  CHECK_FALSE(plan.effective["engine"].contains("message_size"));  // an axis has no value of its own
  CHECK_FALSE(plan.effective.contains("traffic"));                 // of another workload
  CHECK(plan.effective["tls"]["group"] == "x25519");
  CHECK(plan.effective["measure"]["blocks"] == Json{{"min", 8}, {"max", 40}});
  CHECK(plan.effective["measure"]["warmup"] == "300ms");
}

TEST_CASE("the effective scenario names the keys that are neither default nor axis") {
  CHECK(plan_of(echo_head()).effective.at("changed") == Json::array());
  const std::string text = echo_head() +
                           "[roles]\nserver = \"openssl\"\n[traffic]\nconnections = 16\npipeline = 4\n[matrix]\n"
                           "\"traffic.message_size\" = [\"64B\", \"2KiB\"]\n\"roles.client.transport\" = [\"wire\"]\n";
  CHECK(plan_of(text).effective.at("changed") == Json::array({"roles.server.backend", "traffic.pipeline"}));
}

TEST_CASE("settings go to JSON and back") {
  std::vector<Settings> list;
  const std::string policies = echo_head() + "[matrix]\n\"tls.policy\" = [\"as-shipped\", \"pinned\"]\n";
  const Directory own;
  const std::string pem = own.write("own.pem", "PEM").string();
  const std::string files = echo_head() + "[tls]\ncertificate = { chain = \"" + pem + "\", key = \"" + pem +
                            "\", trust = \"" + pem + "\" }\n";
  const std::string handshakes = engine_head() + "[engine]\noperation = \"handshake\"\ncontext = \"per-thread\"\n";
  Overrides seed;
  seed.seed = ~0ULL;
  for (const ScenarioPlan& plan :
       {plan_of(full_echo), plan_of(policies), plan_of(files), plan_of(handshakes), plan_of(echo_head(), seed)}) {
    for (const CellPlan& cell : plan.cells) {
      for (const ArmPlan& arm : cell.arms) {
        list.push_back(arm.settings);
      }
    }
  }
  for (const Settings& settings : list) {
    const Json json = Json::parse(to_json(settings).dump());
    const Settings back = settings_from_json(json);
    CHECK(to_json(back) == json);
    CHECK(back.workload == settings.workload);
    CHECK(back.client.backend == settings.client.backend);
    CHECK(back.server.transport == settings.server.transport);
    CHECK(back.tls.policy == settings.tls.policy);
    CHECK(back.tls.version == settings.tls.version);
    CHECK(back.tls.cipher == settings.tls.cipher);
    CHECK(back.tls.group == settings.tls.group);
    CHECK(back.tls.certificate == settings.tls.certificate);
    CHECK(back.tls.certificate_files == settings.tls.certificate_files);
    CHECK(back.tls.verify == settings.tls.verify);
    CHECK(back.tls.tickets == settings.tls.tickets);
    CHECK(back.traffic.message_size == settings.traffic.message_size);
    CHECK(back.traffic.threads == settings.traffic.threads);
    CHECK(back.engine.operation == settings.engine.operation);
    CHECK(back.engine.context == settings.engine.context);
    CHECK(back.socket.send_buffer == settings.socket.send_buffer);
    CHECK(back.measure.slice_ns == settings.measure.slice_ns);
    CHECK(back.measure.target_precision == settings.measure.target_precision);
    CHECK(back.measure.seed == settings.measure.seed);
  }
}

TEST_CASE("JSON that is no settings is refused") {
  const Json good = to_json(Settings{});
  const auto refused = [&](const std::string& pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    CHECK_THROWS_AS(settings_from_json(bad), std::invalid_argument);
  };
  refused("/traffic/connections", 0);
  refused("/traffic/connections", 1.5);
  refused("/traffic/message_size", "1kib");
  refused("/tls/version", "1.4");
  refused("/traffic/connections", nullptr);
  refused("/tls/verify", nullptr);
  refused("/measure/seed", -1);
  refused("/workload", "ecco");
  CHECK_THROWS(settings_from_json(Json::object()));
  CHECK_NOTHROW(settings_from_json(good));
}
