// Who plays what in an arm: the roles, each a worker of its own, and the TLS sessions or plain connections between
// them.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::scenario {

// The name of the backend that has no TLS.
inline constexpr std::string_view plain_backend = "plaintcp";

// One side of a session.
struct Part {
  std::string name;     // what its proof and counts stand under: "client", "server", "relay_inbound", "relay_outbound"
  std::string role;     // whose worker plays it
  std::string backend;  // by name
  Transport transport = Transport::fd;
};

// What two parts speak with each other.
struct LegPlan {
  std::string name;  // "inbound", "outbound" of a relay; empty where there is one leg alone
  Part client, server;
};

// The roles in the order in which their workers are started: {"engine"}, or "server", "relay" where there is one, and
// "client".
std::vector<std::string> roles_of(const Settings& settings);

// The legs of an arm whose backends are resolved, from the client on.
std::vector<LegPlan> legs_of(const Settings& settings);

// The parts of all legs, or those that one role plays, from the client on.
std::vector<Part> parts_of(const Settings& settings);
std::vector<Part> parts_of(const Settings& settings, std::string_view role);

// Whose operations count: where they come to their end.
std::string counting_role(const Settings& settings);

// Who begins them.
std::string leading_role(const Settings& settings);

}  // namespace tlsrig::scenario
