// Cleaning and escaping text.
#include <tlsrig/report/html/escape.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tlsrig::report::html {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The length of the well-formed sequence that the text begins with, 0 when there is none (RFC 3629: no overlong forms,
// no surrogates, nothing beyond U+10FFFF).
std::size_t sequence_length(std::string_view text, std::uint32_t& code) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    code = first;
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  code = first & (0x7Fu >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if (!is_continuation(text[at])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[at]) & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code <= 0x9F); }

bool turns_direction(std::uint32_t code) {
  return code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// What no document may hold: U+xxFFFE, U+xxFFFF and U+FDD0 to U+FDEF.
bool is_noncharacter(std::uint32_t code) { return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF); }

}  // namespace

std::string clean(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_length(text, code);
    if (length == 0 || turns_direction(code) || is_noncharacter(code)) {
      result += replacement;
    } else if (is_control(code)) {
      result += keep_lines && code == '\n' ? '\n' : ' ';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : clean(text)) {
    switch (byte) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += byte;
    }
  }
  return result;
}

namespace {

bool is_unit(std::string_view word) {
  constexpr std::string_view units[] = {"%",   "x",   "ns",  "µs",   "ms",    "s",     "B",   "KiB",
                                        "MiB", "GiB", "B/s", "MB/s", "kop/s", "Mop/s", "op/s"};
  const std::string_view bare = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  return std::find(std::begin(units), std::end(units), bare) != std::end(units);
}

}  // namespace

std::string unbroken(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view before = text.substr(0, at);
    const std::string_view next = text.substr(at + 1, std::min(text.find(' ', at + 1), text.size()) - at - 1);
    const bool after_number = at > 0 && before.back() >= '0' && before.back() <= '9';
    const bool clings = (after_number && (next == ".." || is_unit(next))) || before.ends_with(" ..");
    if (text[at] == ' ' && clings) {
      result += "\u00a0";
    } else {
      result += text[at];
    }
  }
  return result;
}

std::string broken_at_slashes(std::string_view text) {
  std::string result;
  for (const char byte : escaped(text)) {
    result += byte;
    if (byte == '/') result += "<wbr>";
  }
  return result;
}

}  // namespace tlsrig::report::html
