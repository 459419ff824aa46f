// The expressions of thresholds, and the metrics that they are about.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/thresholds.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::scenario {
namespace {

struct Shape {
  std::string_view middle;  // the word that names no end
  std::string_view number;
  std::string_view example;
};

Shape shape_of(ThresholdKind kind) {
  switch (kind) {
    case ThresholdKind::percentile:
      return {"value", "a duration (in ns, us, ms, s or min)", "high < 2ms"};
    case ThresholdKind::rate:
      return {"value", "a rate (in /s, k/s or M/s)", "low > 50k/s"};
    case ThresholdKind::bytes:
      return {"value", "a size (in B, KiB, MiB or GiB), meant per second", "low > 500MiB"};
    case ThresholdKind::ratio:
      break;
  }
  return {"ratio", "a number", "low > 0.95"};
}

void skip(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

std::string_view take(std::string_view& text, std::string_view characters) {
  const std::string_view before = text;
  skip(text, characters);
  return before.substr(0, before.size() - text.size());
}

std::optional<double> plain_number(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  std::string_view rest = text;
  if (take(rest, digits).empty()) {
    return {};
  }
  if (!rest.empty()) {
    if (rest.front() != '.') {
      return {};
    }
    rest.remove_prefix(1);
    if (take(rest, digits).empty() || !rest.empty()) {
      return {};
    }
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

struct Bound {
  std::optional<double> value;
  std::string guess;  // what was probably meant
};

// In base units: seconds, operations per second, bytes per second.
Bound bound_of(ThresholdKind kind, std::string_view text) {
  if (kind == ThresholdKind::ratio) {
    return {plain_number(text), {}};
  }
  const QuantityKind unit = kind == ThresholdKind::percentile ? QuantityKind::duration
                            : kind == ThresholdKind::rate     ? QuantityKind::rate
                                                              : QuantityKind::size;
  if (kind == ThresholdKind::bytes && text.ends_with("/s")) {
    return {{}, std::string(text.substr(0, text.size() - 2))};
  }
  const Quantity quantity = parse_quantity(unit, text);
  if (quantity.fault != Quantity::Fault::none) {
    return {{}, guess_quantity(unit, text)};
  }
  const auto value = static_cast<double>(quantity.value);
  return {kind == ThresholdKind::percentile ? value / 1e9 : value, {}};
}

}  // namespace

ParsedExpression parse_expression(ThresholdKind kind, std::string_view text) {
  const Shape shape = shape_of(kind);
  const auto refused = [&](const std::string& hint) {
    return ParsedExpression{{},
                            fmt::format("found \"{}\"; needed: low, high or {}, then <, <=, > or >=, then {}{}; "
                                        "example: expr = \"{}\"",
                                        text, shape.middle, shape.number, hint, shape.example)};
  };
  std::string_view rest = text;
  const std::string_view word = take(rest, "abcdefghijklmnopqrstuvwxyz");
  skip(rest, " ");
  const std::string_view relation = take(rest, "<>=");
  skip(rest, " ");
  const bool known_word = word == "low" || word == "high" || word == shape.middle;
  const bool known_relation = relation == "<" || relation == "<=" || relation == ">" || relation == ">=";
  if (!known_word || !known_relation) {
    return refused("");
  }
  const Bound bound = bound_of(kind, rest);
  if (!bound.value) {
    return refused(bound.guess.empty() ? "" : fmt::format("; did you mean \"{} {} {}\"?", word, relation, bound.guess));
  }
  const bool is_floor = relation.front() == '>';
  const std::string_view judged = is_floor ? "low" : "high";
  if (word != shape.middle && word != judged) {
    return {{},
            fmt::format("found \"{}\", which asks of the favourable end of the interval; a threshold is judged by the "
                        "unfavourable one: write \"{} {} {}\"",
                        text, judged, relation, rest)};
  }
  return {Expression{is_floor, relation.size() == 2, *bound.value}, {}};
}

std::vector<std::string> threshold_metrics(ThresholdKind kind, Workload workload) {
  const std::vector<std::string> percentiles{"service_time_p50", "service_time_p99", "service_time_p999"};
  const bool timed = workload == Workload::echo;  // an engine's operations are too short to be timed one by one
  switch (kind) {
    case ThresholdKind::percentile:
      return timed ? percentiles : std::vector<std::string>{};
    case ThresholdKind::rate:
      return {"throughput"};
    case ThresholdKind::bytes:
      return {"payload_bytes_per_second"};
    case ThresholdKind::ratio:
      break;
  }
  std::vector<std::string> metrics{"throughput"};
  if (workload == Workload::engine) {
    metrics.emplace_back("cpu_engine");
  }
  metrics.insert(metrics.end(), {"cpu_client", "cpu_server"});
  if ((relayed & bit(workload)) != 0) {
    metrics.emplace_back("cpu_relay");
  }
  if (timed) {
    metrics.insert(metrics.end(), percentiles.begin(), percentiles.end());
  }
  return metrics;
}

}  // namespace tlsrig::scenario
