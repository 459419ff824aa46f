// What came of a threshold.
#include <tlsrig/report/words/thresholds.hpp>

#include <fmt/format.h>

#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

std::string subject(const Threshold& threshold) {
  const std::string metric = metric_words(threshold.metric);
  return one_line(fmt::format("{}: {}: {}{}", threshold.cell, threshold.arm,
                              threshold.kind == "ratio" ? "ratio of " + metric : metric, ": " + threshold.expr));
}

}  // namespace

std::string threshold_value(const Threshold& threshold) {
  if (!threshold.value) return {};
  if (threshold.kind == "percentile") return format_duration(*threshold.value);
  if (threshold.kind == "rate") return format_rate(*threshold.value, "op/s");
  if (threshold.kind == "bytes") {
    constexpr double mib = 1 << 20;
    return fmt::format("{:.4g} MiB/s", *threshold.value / mib);
  }
  return format_ratio(*threshold.value);
}

std::string threshold_sentence(const Threshold& threshold) {
  if (!threshold.held)
    return fmt::format("{} is not judged: {}", subject(threshold),
                       one_line(threshold.reason.value_or("no reason told")));
  return fmt::format("{} is {}: {}", subject(threshold), *threshold.held ? "held" : "not held",
                     threshold_value(threshold));
}

}  // namespace tlsrig::report
