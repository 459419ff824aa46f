// Sentences made of an arm's settings.
#include <tlsrig/report/words/counted.hpp>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string text_at(const Json& settings, std::string_view path) {
  const Json* found = find_path(settings, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

bool has_relay(const Json& settings) { return find_path(settings, "relay") != nullptr; }

// The ends of a one-way workload.
struct Way {
  std::string source, sink;
};

Way way_of(const Json& settings) {
  if (text_at(settings, "traffic.direction") == "to-client") return {"server", "client"};
  return {"client", "server"};
}

// What one operation is and, in other words, what many are.
struct Operation {
  std::string one;      // "message"
  std::string many;     // "messages wrapped by the client"
  std::string payload;  // "payload bytes wrapped by the client"; empty: it moves none
};

Operation engine_operation(const std::string& name) {
  if (name == "handshake") return {"handshake", "full handshakes of a client and a server", ""};
  if (name == "handshake-resumed") return {"handshake", "resumed handshakes of a client and a server", ""};
  if (name == "wrap") return {"message", "messages wrapped by the client", "payload bytes wrapped by the client"};
  if (name == "unwrap") return {"message", "messages unwrapped by the server", "payload bytes unwrapped by the server"};
  if (name == "wrap-unwrap")
    return {"message", "messages wrapped by the client and unwrapped by the server",
            "payload bytes wrapped by the client and unwrapped by the server, each counted once"};
  if (name == "context-new")
    return {"context pair", "pairs of a server's and a client's context, made and destroyed", ""};
  if (name == "session-new")
    return {"session pair", "pairs of a client's and a server's session, opened and closed without a handshake", ""};
  return {"operation", "operations", ""};
}

std::string per_operation(const std::string& workload, const Json& settings) {
  if (workload == "echo") return "per round trip";
  if (workload == "engine") return "per " + engine_operation(text_at(settings, "engine.operation")).one;
  if (workload == "stream" || workload == "pipe") return "per message taken in by the " + way_of(settings).sink;
  return "per operation";
}

std::string cpu_description(std::string_view side, const std::string& workload, const Json& settings) {
  const std::string per = per_operation(workload, settings);
  if (workload != "engine")
    return fmt::format("CPU time, user and system, of all threads of the {}'s process, {}", side_words(side), per);
  if (side == "engine") return fmt::format("CPU time, user and system, of the process that plays both sides, {}", per);
  return fmt::format("the {}'s part of the engine's CPU time, by the time taken at the borders between the sides, {}",
                     side_words(side), per);
}

// "one way, client to server", with a relay "one way, client to relay to server".
std::string direction(const Json& settings) {
  const Way way = way_of(settings);
  return fmt::format("one way, {} to {}{}", way.source, has_relay(settings) ? "relay to " : "", way.sink);
}

std::string throughput_description(const std::string& workload, const Json& settings) {
  if (workload == "echo")
    return fmt::format("round trips, a request of the client and its reply{}, finished at the client, per second",
                       has_relay(settings) ? " through the relay" : "");
  if (workload == "stream" || workload == "pipe")
    return fmt::format("messages taken in by the {}, {}, per second", way_of(settings).sink, direction(settings));
  if (workload == "engine")
    return engine_operation(text_at(settings, "engine.operation")).many + ", in memory, per second";
  return "operations that came to their end, per second";
}

std::string payload_description(const std::string& workload, const Json& settings) {
  if (workload == "echo")
    return "payload bytes of requests and replies, both ways, of the round trips finished at the client, per second";
  if (workload == "stream" || workload == "pipe")
    return fmt::format("payload bytes of the messages taken in by the {}, {}, per second", way_of(settings).sink,
                       direction(settings));
  const std::string payload = engine_operation(text_at(settings, "engine.operation")).payload;
  return payload.empty() ? "payload bytes moved, per second" : payload + ", one way, per second";
}

// "99.9" of "service_time_p999".
std::string percentile_of(std::string_view metric) {
  std::string digits(metric.substr(metric.rfind('p') + 1));
  if (digits.size() > 2) digits.insert(2, ".");
  return digits;
}

std::string time_description(std::string_view metric, const std::string& workload) {
  const char* what = workload == "echo"
                         ? "of a round trip, taken at the client, from when the reply before it was in to "
                           "the last byte of its own,"
                         : "of an operation";
  return fmt::format("the time {} that {} % of them did not exceed", what, percentile_of(metric));
}

// "client to relay (TLS) to server (plain)": each leg with what is spoken on it.
std::string path_words(const Json& settings) {
  const Way way = way_of(settings);
  if (!has_relay(settings)) return fmt::format("{} to {}", way.source, way.sink);
  const bool has_tls = text_at(settings, "relay.backend") != "plaintcp";
  const auto spoken = [&](const std::string& leg) {
    const std::string word = text_at(settings, "relay." + leg);
    return word.empty() ? std::string() : word == "tls" && has_tls ? " (TLS)" : " (plain)";
  };
  const bool to_server = way.sink == "server";
  return fmt::format("{} to relay{} to {}{}", way.source, spoken(to_server ? "inbound" : "outbound"), way.sink,
                     spoken(to_server ? "outbound" : "inbound"));
}

}  // namespace

std::string metric_description(std::string_view metric, const Json& settings) {
  const std::string workload = text_at(settings, "workload");
  if (metric == "throughput") return throughput_description(workload, settings);
  if (metric == "payload_bytes_per_second") return payload_description(workload, settings);
  if (metric.starts_with("service_time_p")) return time_description(metric, workload);
  if (const std::string_view side = side_of(metric); !side.empty()) return cpu_description(side, workload, settings);
  return "";
}

namespace {

// "messages at the server, one way, client to server" and how they went: "over loopback TCP".
struct Counted {
  std::string what, how;
};

Counted counted_of(const Cell& cell, const Json& settings) {
  if (cell.workload == "echo") {
    const std::string legs = has_relay(settings) ? ", " + path_words(settings) + " and back" : "";
    return {"round trips at the client" + legs, "over loopback TCP; payload both ways"};
  }
  if (cell.workload == "stream" || cell.workload == "pipe")
    return {fmt::format("messages at the {}, one way, {}", way_of(settings).sink, path_words(settings)),
            "over loopback TCP"};
  if (cell.workload != "engine") return {};
  const Operation operation = engine_operation(text_at(settings, "engine.operation"));
  return {operation.many, operation.payload.empty() ? "in memory" : "in memory; payload one way"};
}

}  // namespace

std::string counted_words(const Cell& cell, const Arm& arm) {
  const Counted counted = counted_of(cell, arm.settings);
  return counted.what.empty() ? "" : counted.what + ", " + counted.how;
}

std::string counted_words(const Cell& cell) {
  struct Group {
    Counted counted;
    std::vector<std::string> arms;
  };
  std::vector<Group> groups;
  const bool all_plain =
      std::all_of(cell.arms.begin(), cell.arms.end(), [&](const Arm& arm) { return is_plain(cell, arm); });
  for (const Arm& arm : cell.arms) {
    if (arm.twin || (is_yardstick(cell, arm) && !all_plain)) continue;
    const Counted counted = counted_of(cell, arm.settings);
    if (counted.what.empty()) continue;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
      return each.counted.what == counted.what && each.counted.how == counted.how;
    });
    (known == groups.end() ? groups.emplace_back(Group{counted, {}}) : *known).arms.push_back(arm.id);
  }
  if (groups.empty()) return "";
  const Counted& first = groups.front().counted;
  if (groups.size() == 1) return first.what + ", " + first.how;
  const bool alike =
      std::all_of(groups.begin(), groups.end(), [&](const Group& each) { return each.counted.how == first.how; });
  std::vector<std::string> parts;
  for (const auto& [counted, arms] : groups)
    parts.push_back(fmt::format("{}{} ({})", counted.what, alike ? "" : ", " + counted.how, joined(arms, ", ")));
  return alike ? joined(parts, ", ") + ", " + first.how : joined(parts, "; ");
}

std::vector<Meaning> meanings(const Result& result) {
  std::vector<Meaning> list;
  std::map<std::string, std::size_t> uses;  // descriptions by metric
  for (const Cell& cell : result.cells) {
    for (const Arm& arm : cell.arms) {
      if (arm.status != Status::ok) continue;
      for (const Metric& metric : arm.metrics) {
        if (metric.description.empty()) continue;
        auto known = std::find_if(list.begin(), list.end(), [&](const Meaning& each) {
          return each.metric == metric.name && each.description == metric.description;
        });
        if (known == list.end()) {
          ++uses[metric.name];
          known = list.insert(list.end(), {metric.name, metric.unit, metric.better, metric.description, {}, true});
        }
        if (known->cells.empty() || known->cells.back() != &cell) known->cells.push_back(&cell);
      }
    }
  }
  // The descriptions of one metric stand together, where the first of them does.
  std::vector<Meaning> sorted;
  for (const Meaning& first : list) {
    const auto told = [&](const Meaning& each) { return each.metric == first.metric; };
    if (std::any_of(sorted.begin(), sorted.end(), told)) continue;
    for (const Meaning& each : list) {
      if (!told(each)) continue;
      sorted.push_back(each);
      sorted.back().everywhere = uses[each.metric] == 1;
    }
  }
  return sorted;
}

std::string where_words(const Meaning& meaning) {
  if (meaning.everywhere || meaning.cells.empty()) return "";
  const std::string& first = meaning.cells.front()->id;
  return meaning.cells.size() == 1 ? fmt::format("({})", first)
                                   : fmt::format("({} cells, such as {})", meaning.cells.size(), first);
}

}  // namespace tlsrig::report
