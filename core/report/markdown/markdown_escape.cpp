// Escaping for GitHub's Markdown.
#include <tlsrig/report/markdown/markdown_escape.hpp>

#include <algorithm>
#include <cctype>

#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

constexpr std::string_view word_joiner = "\xE2\x81\xA0";  // U+2060

bool is_word(char byte) { return std::isalnum(static_cast<unsigned char>(byte)) != 0; }

char at(std::string_view text, std::size_t position) { return position < text.size() ? text[position] : '\0'; }

// Whether a colon opens what GitHub turns into a picture: ":name:".
bool begins_shortcode(std::string_view text, std::size_t i) {
  std::size_t end = i + 1;
  bool is_name = false;  // and no time of day
  for (; is_word(at(text, end)) || at(text, end) == '_' || at(text, end) == '-' || at(text, end) == '+'; ++end)
    is_name = is_name || std::isdigit(static_cast<unsigned char>(at(text, end))) == 0;
  return is_name && at(text, end) == ':';
}

// Where GitHub would see a mention (@name), an issue (#12, GH-12), an address (https://, www., name@host).
bool begins_reference(std::string_view text, std::size_t i) {
  const char next = at(text, i + 1);
  if (text[i] == '@') return is_word(next);
  if (text[i] == '#') return std::isdigit(static_cast<unsigned char>(next)) != 0;
  if (text[i] == ':') return next == '/' || begins_shortcode(text, i);
  if (text[i] == '-') return i >= 2 && (text.substr(i - 2, 2) == "GH" || text.substr(i - 2, 2) == "gh");
  if (text[i] == '.') return i >= 3 && (text.substr(i - 3, 3) == "www" || text.substr(i - 3, 3) == "WWW");
  return false;
}

// An underscore within a word is one to GitHub too: TLS_AES_128 stays readable in the source.
bool is_markup(std::string_view text, std::size_t i) {
  if (text[i] == '_') return i == 0 || !is_word(text[i - 1]) || !is_word(at(text, i + 1));
  return std::string_view("\\`*[]<>|~$!").find(text[i]) != std::string_view::npos;
}

// "- ", "+ ", "# ", "1. ", "1) " begin lists and headings.
bool begins_block(std::string_view text, std::size_t i) {
  if (i == 0) return text[0] == '-' || text[0] == '+' || text[0] == '#' || text[0] == '=';
  if ((text[i] != '.' && text[i] != ')') || (i + 1 < text.size() && text[i + 1] != ' ')) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i),
                     [](char byte) { return std::isdigit(static_cast<unsigned char>(byte)) != 0; });
}

std::size_t longest_run_of_backticks(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char byte : text) {
    run = byte == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view raw) {
  const std::string text = one_line(valid_utf8(raw));
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      escaped += "&amp;";
      continue;
    }
    if (is_markup(text, i) || begins_block(text, i)) escaped += '\\';
    escaped += text[i];
    if (begins_reference(text, i)) escaped += word_joiner;
  }
  return escaped;
}

std::string markdown_code(std::string_view raw) {
  const std::string text = one_line(valid_utf8(raw));
  if (text.empty()) return "";
  std::string inner;
  for (const char byte : text) {
    if (byte == '|') inner += '\\';  // tables are cut at it before spans are seen; outside of them none is expected
    inner += byte;
  }
  const std::string fence(longest_run_of_backticks(inner) + 1, '`');
  const bool padded = inner.front() == '`' || inner.back() == '`';
  return fence + (padded ? " " : "") + inner + (padded ? " " : "") + fence;
}

std::string markdown_block(std::string_view raw) {
  const std::string text = one_line(valid_utf8(raw));
  const std::string fence(std::max<std::size_t>(longest_run_of_backticks(text) + 1, 3), '`');
  return fence + "\n" + text + "\n" + fence + "\n";
}

}  // namespace tlsrig::report
