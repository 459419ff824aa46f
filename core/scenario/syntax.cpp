// Syntax errors in the words of a scenario's user.
#include <tlsrig/scenario/syntax.hpp>

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace tlsrig::scenario {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return lines;
    }
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

bool is_dotted_key(std::string_view text) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '"'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

// The [table] that a line lies in; empty at the top.
std::string table_above(const std::vector<std::string_view>& lines, std::size_t index) {
  while (index-- > 0) {
    const std::string_view line = trim(lines[index].substr(0, lines[index].find('#')));
    if (line.size() > 2 && line.front() == '[' && line.back() == ']' &&
        is_dotted_key(line.substr(1, line.size() - 2))) {
      return std::string(line.substr(1, line.size() - 2)) + ".";
    }
  }
  return {};
}

std::string key_of(const std::vector<std::string_view>& lines, std::size_t index) {
  const std::string_view line = lines[index];
  const std::size_t equals = line.find('=');
  const std::string_view key = trim(line.substr(0, equals));
  if (equals == std::string_view::npos || !is_dotted_key(key)) {
    return {};
  }
  return table_above(lines, index) + std::string(key);
}

// For a number that does not fit the library points behind it.
unsigned column_of_number(std::string_view line, unsigned column, std::string_view description) {
  const std::size_t begin = description.find('\'');
  const std::size_t end = description.rfind('\'');
  const bool number = description.find("not representable") != std::string_view::npos ||
                      description.find("could not be interpreted") != std::string_view::npos;
  if (!number || begin == end) {
    return column;
  }
  std::string_view token = description.substr(begin + 1, end - begin - 1);
  std::size_t at = line.find(token);
  if (at == std::string_view::npos) {
    return column;
  }
  at -= at > 0 && line[at - 1] == '-' ? 1 : 0;
  return static_cast<unsigned>(at) + 1;
}

}  // namespace

SyntaxFault explain_syntax(std::string_view text, unsigned line, unsigned column, std::string_view description) {
  const auto lines = lines_of(text);
  const std::size_t index = std::clamp<std::size_t>(line, 1, lines.size()) - 1;
  constexpr std::string_view opening = "Error while ";
  std::string words(description.substr(description.starts_with(opening) ? opening.size() : 0));
  if (words.find("cannot redefine") != std::string::npos) {
    words += " (it stands twice)";
  }
  return {line, column_of_number(lines[index], column, description), key_of(lines, index),
          fmt::format("not valid TOML: {}", words)};
}

}  // namespace tlsrig::scenario
