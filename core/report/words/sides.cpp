// The path of a message, as a list.
#include <tlsrig/report/words/sides.hpp>

#include <array>

#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report {
namespace {

constexpr std::array<std::string_view, 6> path = {"client",         "relay",  "relay_inbound",
                                                  "relay_outbound", "server", "engine"};

}  // namespace

std::size_t path_place(std::string_view side) {
  return static_cast<std::size_t>(std::find(path.begin(), path.end(), side) - path.begin());
}

std::vector<std::string> along_path(std::vector<std::string> sides) {
  std::sort(sides.begin(), sides.end(), [](const std::string& left, const std::string& right) {
    const std::size_t mine = path_place(left), theirs = path_place(right);
    return mine != theirs ? mine < theirs : left < right;
  });
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  return sides;
}

std::string side_words(std::string_view side) { return with_spaces(std::string(side)); }

std::string_view side_of(std::string_view metric) {
  constexpr std::string_view prefix = "cpu_";
  return metric.starts_with(prefix) ? metric.substr(prefix.size()) : std::string_view();
}

std::string cpu_title(std::string_view side, bool has_parts) {
  return side == "engine" && has_parts ? "sum" : side_words(side);
}

std::string_view peer_of(std::string_view part, bool has_relay) {
  if (part == "client") return has_relay ? "relay_inbound" : "server";
  if (part == "server") return has_relay ? "relay_outbound" : "client";
  if (part == "relay_inbound") return "client";
  return part == "relay_outbound" ? "server" : "";
}

}  // namespace tlsrig::report
