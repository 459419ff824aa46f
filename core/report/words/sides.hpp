// Roles and their parts: the order in which every report shows them, and what they are called there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::report {

// Along the path of a message that the client sends: client, relay (inbound, outbound), server; then an engine, which
// is both its sides together, and whatever an unknown version has.
std::size_t path_place(std::string_view side);

// The members of a map by side, as path_place has them; they point into the map.
template <typename Map>
std::vector<const typename Map::value_type*> in_path_order(const Map& sides) {
  std::vector<const typename Map::value_type*> members;
  for (const auto& member : sides) members.push_back(&member);
  std::stable_sort(members.begin(), members.end(), [](const auto* left, const auto* right) {
    return path_place(left->first) < path_place(right->first);
  });
  return members;
}

// Sides in that order, each once.
std::vector<std::string> along_path(std::vector<std::string> sides);

// "client", "relay inbound".
std::string side_words(std::string_view side);

// The role or part of a metric such as "cpu_relay"; empty when the metric is of none.
std::string_view side_of(std::string_view metric);

// What the CPU time of a side stands under where those of others stand beside it: an engine's is their sum.
std::string cpu_title(std::string_view side, bool has_parts);

// The part at the other end of a part's leg, in an arm with a relay or without; empty when it has none.
std::string_view peer_of(std::string_view part, bool has_relay);

}  // namespace tlsrig::report
