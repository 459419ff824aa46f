// The thresholds of the terminal report.
#include <tlsrig/report/terminal/thresholds_text.hpp>

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/terminal/table.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/thresholds.hpp>

namespace tlsrig::report {

namespace {

std::vector<const Threshold*> those(const Result& result, std::optional<bool> held) {
  std::vector<const Threshold*> found;
  for (const auto& threshold : result.thresholds)
    if (threshold.held == held) found.push_back(&threshold);
  return found;
}

}  // namespace

std::string thresholds_text(const Result& result, const TextOptions& options) {
  if (result.thresholds.empty()) return {};
  constexpr std::size_t held_shown = 12;
  const auto failed = those(result, false), open = those(result, std::nullopt), held = those(result, true);
  std::string text =
      "\n" +
      painted(fmt::format("Thresholds: {} held, {} not held, {} not judged", held.size(), failed.size(), open.size()),
              Style::strong, options.colour) +
      "\n";
  const auto add = [&](const Threshold& threshold, std::string_view mark, Style style) {
    const std::string lines = wrapped(threshold_sentence(threshold), options.width, fmt::format("  {} ", mark), "    ");
    text += painted(std::string_view(lines).substr(0, lines.size() - 1), style, options.colour) + "\n";
  };
  for (const auto* threshold : failed) add(*threshold, "!", Style::bad);
  for (const auto* threshold : open) add(*threshold, "?", Style::caution);
  if (held.size() <= held_shown || options.verbose)
    for (const auto* threshold : held) add(*threshold, "=", Style::plain);
  return text;
}

}  // namespace tlsrig::report
