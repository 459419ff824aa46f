// Numbers and texts for people.
#include <tlsrig/report/words/format.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace tlsrig::report {
namespace {

struct Prefix {
  double unit;
  const char* text;
};

constexpr std::array<Prefix, 8> prefixes = {
    {{1e-9, "n"}, {1e-6, "µ"}, {1e-3, "m"}, {1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};

// The value as it is once it is rounded to so many significant digits: 999.96 becomes 1000.
double rounded(double value, int digits) {
  if (value == 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1);
  return std::round(value / step) * step;
}

// The largest prefix that shows a positive value as 1 or more; below the smallest prefix, that one.
Scale scale_of(double value, int digits) {
  const double shown = rounded(value, digits);
  Prefix chosen = prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (shown >= prefix.unit * (1 - 1e-9)) chosen = prefix;  // the rounding above is not exact
  }
  return {chosen.unit, chosen.text, digits};
}

}  // namespace

std::string Scale::format(double value) const {
  if (!std::isfinite(value)) return "-";
  const double shown = value / unit;
  if (shown == 0) return "0";
  constexpr int most_decimals = 6;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(rounded(shown, digits))) + 1e-9));
  return fmt::format("{:.{}f}", shown, std::clamp(digits - 1 - magnitude, 0, most_decimals));
}

Scale scale_for(std::span<const double> values, int digits) {
  std::vector<double> usable;
  std::copy_if(values.begin(), values.end(), std::back_inserter(usable),
               [](double value) { return std::isfinite(value) && value > 0; });
  if (usable.empty()) return {1, "", digits};
  const auto middle = usable.begin() + static_cast<std::ptrdiff_t>((usable.size() - 1) / 2);
  std::nth_element(usable.begin(), middle, usable.end());
  return scale_of(*middle, digits);
}

std::string format_si(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "-";
  const Scale scale = scale_of(std::abs(value), digits);
  return scale.prefix.empty() ? scale.format(value) : scale.format(value) + " " + scale.prefix;
}

std::string format_duration(double seconds) {
  if (seconds == 0) return "0 s";
  if (!std::isfinite(seconds)) return "-";
  Scale scale = scale_of(std::abs(seconds), 4);
  if (scale.unit > 1) scale = {1, "", 4};  // "5000 s", not "5 ks"
  return scale.format(seconds) + " " + scale.prefix + "s";
}

std::string format_rate(double per_second, std::string_view unit) {
  const std::string number = format_si(per_second);
  const bool has_prefix = number.find(' ') != std::string::npos;
  return fmt::format("{}{}{}", number, has_prefix ? "" : " ", unit);
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double shown = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (shown >= 1024 && unit + 1 < units.size()) {
    shown /= 1024;
    ++unit;
  }
  const bool whole = shown == std::floor(shown);
  return whole ? fmt::format("{:.0f} {}", shown, units[unit]) : fmt::format("{:.1f} {}", shown, units[unit]);
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  constexpr int most_decimals = 9;
  if (ratio > 0 && ratio < 0.009995)
    return fmt::format("{:.{}f}", ratio, std::min(2 - static_cast<int>(std::floor(std::log10(ratio))), most_decimals));
  const int decimals = ratio >= 9.9995 ? 1 : ratio >= 0.09995 ? 3 : 4;
  return fmt::format("{:.{}f}", ratio, decimals);
}

std::string format_percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double percent = fraction * 100;
  return percent != 0 && std::abs(percent) < 0.1 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.1f} %", percent);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    const char shown = code < 0x20 || code == 0x7F ? ' ' : byte;
    if (shown == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += shown;
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string with_spaces(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  const std::size_t kept = columns > 3 ? columns - 3 : 0;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && ++shown > kept) break;
  }
  return std::string(text.substr(0, end)) + std::string("...").substr(0, columns);
}

namespace {

// What stays on the line of the word before it: the unit of a number, and the dots between the ends of an interval.
bool clings(std::string_view word) {
  const std::string_view bare = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  return bare == "%" || bare == "x" || word == "..";
}

// The length of what must not be broken at the beginning of a text: a word and what clings to it.
std::size_t unit_length(std::string_view text) {
  std::size_t end = std::min(text.find(' '), text.size());
  bool after_dots = false;
  while (end < text.size()) {
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    const std::string_view word = text.substr(end + 1, next - end - 1);
    if (word.empty() || (!clings(word) && !after_dots)) break;
    after_dots = word == "..";
    end = next;
  }
  return end;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view rest) {
  std::string result(first);
  std::size_t column = display_width(first);
  bool line_has_word = false;
  while (!text.empty()) {
    const std::size_t length = unit_length(text);
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (word.empty()) continue;
    if (line_has_word && column + 1 + display_width(word) > width) {
      result += '\n';
      result += rest;
      column = display_width(rest);
      line_has_word = false;
    }
    if (line_has_word) {
      result += ' ';
      ++column;
    }
    result += word;
    column += display_width(word);
    line_has_word = true;
  }
  result += '\n';
  return result;
}

}  // namespace tlsrig::report
