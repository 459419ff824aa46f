// Roles, legs and their parts.
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::scenario {

std::vector<std::string> roles_of(const Settings& settings) {
  if (settings.workload == Workload::engine) {
    return {"engine"};
  }
  if (settings.relay.present) {
    return {"server", "relay", "client"};
  }
  return {"server", "client"};
}

std::vector<LegPlan> legs_of(const Settings& settings) {
  const RoleSettings &client = settings.client, &server = settings.server;
  if (settings.workload == Workload::engine) {
    return {{"",
             {"client", "engine", client.backend, Transport::wire},
             {"server", "engine", server.backend, Transport::wire}}};
  }
  const Part first{"client", "client", client.backend, client.transport};
  const Part last{"server", "server", server.backend, server.transport};
  const RelaySettings& relay = settings.relay;
  if (!relay.present) {
    return {{"", first, last}};
  }
  const auto player = [&](LegProtocol spoken) {
    return spoken == LegProtocol::tls ? relay.backend : std::string(plain_backend);
  };
  return {{"inbound", first, {"relay_inbound", "relay", player(relay.inbound), relay.transport}},
          {"outbound", {"relay_outbound", "relay", player(relay.outbound), relay.transport}, last}};
}

std::vector<Part> parts_of(const Settings& settings) {
  std::vector<Part> parts;
  for (const LegPlan& leg : legs_of(settings)) {
    parts.insert(parts.end(), {leg.client, leg.server});
  }
  return parts;
}

std::vector<Part> parts_of(const Settings& settings, std::string_view role) {
  std::vector<Part> parts = parts_of(settings);
  std::erase_if(parts, [&](const Part& part) { return part.role != role; });
  return parts;
}

std::string counting_role(const Settings& settings) {
  if (settings.workload == Workload::engine) {
    return "engine";
  }
  return is_one_way(settings.workload) && is_source(settings, "client") ? "server" : "client";
}

std::string leading_role(const Settings& settings) {
  if (settings.workload == Workload::engine) {
    return "engine";
  }
  return is_one_way(settings.workload) && is_source(settings, "server") ? "server" : "client";
}

}  // namespace tlsrig::scenario
