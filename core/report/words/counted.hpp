// What a metric counts: what, at which side, in which direction, per what.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// One sentence part for a metric of an arm with these settings (Arm::settings): "messages taken in by the server, one
// way, client to server, per second". Empty for a metric that is not known.
std::string metric_description(std::string_view metric, const Json& settings);

// The same of a whole cell in passing, where bare columns would mislead: "round trips at the client, over loopback TCP;
// payload both ways". Arms that differ in it are named.
std::string counted_words(const Cell& cell);

// Of one arm.
std::string counted_words(const Cell& cell, const Arm& arm);

// What the metrics of a result say of themselves, each description once.
struct Meaning {
  std::string metric, unit, better, description;
  std::vector<const Cell*> cells;  // the caller's
  bool everywhere = true;          // in all cells that have this metric
};
std::vector<Meaning> meanings(const Result& result);

// "", or where it holds: "(3 cells, such as stream/direction=to-client)".
std::string where_words(const Meaning& meaning);

}  // namespace tlsrig::report
