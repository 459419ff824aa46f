// Splitting and reading what stands behind flags.
#include <tlsrig/cli/flag_values.hpp>

#include <sys/random.h>

#include <string_view>

namespace tlsrig::cli {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// The end of the first value: a comma outside of quotes and brackets, or the end of the text. A quote within a bare
// word ("it's") is a letter like others.
std::size_t end_of_value(std::string_view text) {
  int depth = 0;
  char quote = 0, last = ',';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (quote) {
      if (byte == '\\' && quote == '"') ++i;
      if (byte == quote) quote = 0;
      continue;
    }
    const bool begins = depth > 0 || last == ',';
    if ((byte == '"' || byte == '\'') && begins)
      quote = byte;
    else if ((byte == '[' || byte == '{') && begins)
      ++depth;
    else if ((byte == ']' || byte == '}') && depth > 0)
      --depth;
    else if (byte == ',' && depth == 0)
      return i;
    if (byte != ' ') last = byte;
  }
  return text.size();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> values;
  for (;;) {
    const std::size_t end = end_of_value(text);
    values.emplace_back(trimmed(text.substr(0, end)));
    if (end == text.size()) return values;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::pair<std::string, std::string> key_and_value(const std::string& flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Unusable(fmt::format("{} {}: KEY=VALUE is needed, such as {}", flag, text,
                               flag == "-s" ? "-s traffic.connections=64" : "-P traffic.message_size=64B,1KiB"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> list_of_values(const std::string& text) {
  std::string_view whole = trimmed(text);
  const bool is_list =
      whole.size() >= 2 && whole.front() == '[' && whole.back() == ']' && end_of_value(whole) == whole.size();
  if (!is_list) return split(whole);
  whole = trimmed(whole.substr(1, whole.size() - 2));
  if (whole.empty()) return {};
  if (whole.back() == ',') whole.remove_suffix(1);  // TOML allows one behind the last value
  return split(whole);
}

std::uint32_t drawn_seed() {
  std::uint32_t drawn = 0;
  while (drawn == 0 && ::getrandom(&drawn, sizeof drawn, 0) == sizeof drawn) {
  }
  return drawn;
}

}  // namespace tlsrig::cli
