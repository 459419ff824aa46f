// What stands behind flags: KEY=VALUE, lists of values, whole numbers. All throw Unusable with the flag in words.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>

namespace tlsrig::cli {

// KEY=VALUE of -s and -P.
std::pair<std::string, std::string> key_and_value(const std::string& flag, const std::string& text);

// The values of -P: separated by commas, but not by those in quotes, brackets or braces; a list as TOML has it stands
// for its values. Each is TOML or a bare word, and is judged later.
std::vector<std::string> list_of_values(const std::string& text);

// A seed where none is asked for: not 0, and short enough to be typed again.
std::uint32_t drawn_seed();

// A whole number in decimal; the flag's parser would take octal and cut what is too large. Nothing for an empty text.
template <class Number>
std::optional<Number> number(const char* flag, const std::string& text, Number least, Number most) {
  if (text.empty()) return std::nullopt;
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw Unusable(fmt::format("{}: found \"{}\"; allowed: a whole number from {} to {}", flag, text, least, most));
  return value;
}

}  // namespace tlsrig::cli
