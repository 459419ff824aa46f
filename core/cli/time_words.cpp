// Times in words.
#include <tlsrig/cli/time_words.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tlsrig::cli {

namespace {

struct Words {
  std::string number, unit;
};

// Seconds up to two minutes, in steps of five from ten on; then minutes; then hours with one decimal.
Words rounded(double seconds) {
  if (seconds < 10) return {fmt::format("{:.0f}", std::max(1.0, std::ceil(seconds))), "s"};
  if (seconds < 120) return {fmt::format("{:.0f}", 5 * std::ceil(seconds / 5)), "s"};
  if (seconds < 5400) return {fmt::format("{:.0f}", std::ceil(seconds / 60)), "min"};
  return {fmt::format("{:.1f}", seconds / 3600), "h"};
}

}  // namespace

std::string exact_time(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string forecast(const rig::Span& span) {
  const Words most = rounded(span.most);
  if (span.least <= 0) return fmt::format("up to {} {}", most.number, most.unit);
  const Words least = rounded(span.least);
  if (least.unit != most.unit) return fmt::format("{} {} to {} {}", least.number, least.unit, most.number, most.unit);
  if (least.number != most.number) return fmt::format("{} to {} {}", least.number, most.number, most.unit);
  return fmt::format("about {} {}", most.number, most.unit);
}

}  // namespace tlsrig::cli
