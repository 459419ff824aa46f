// Reading a file or a flag's value with toml++ into a tree of Raw.
#include <tlsrig/scenario/document.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <tlsrig/scenario/syntax.hpp>

namespace tlsrig::scenario {
namespace {

Place place_of(const toml::source_region& source, const std::string& flag) {
  if (!flag.empty()) {
    return {0, 0, flag};
  }
  return {source.begin.line, source.begin.column, {}};
}

Raw convert(const toml::node& node, const std::string& flag);

// toml++ keeps tables sorted by name; cells come in the order of the file, so that is restored from the positions.
std::vector<Member> members_of(const toml::table& table, const std::string& flag) {
  std::vector<Member> members;
  for (const auto& [key, value] : table) {
    members.push_back({std::string(key.str()), place_of(key.source(), flag), convert(value, flag)});
  }
  std::stable_sort(members.begin(), members.end(), [](const Member& left, const Member& right) {
    return std::tie(left.place.line, left.place.column) < std::tie(right.place.line, right.place.column);
  });
  return members;
}

Raw convert(const toml::node& node, const std::string& flag) {
  Raw raw;
  raw.place = place_of(node.source(), flag);
  if (const auto* table = node.as_table()) {
    raw.kind = Raw::Kind::table;
    raw.members = members_of(*table, flag);
  } else if (const auto* array = node.as_array()) {
    raw.kind = Raw::Kind::list;
    for (const toml::node& item : *array) {
      raw.items.push_back(convert(item, flag));
    }
  } else if (const auto* string = node.as_string()) {
    raw.text = string->get();
  } else if (const auto* integer = node.as_integer()) {
    raw.kind = Raw::Kind::integer;
    raw.integer = integer->get();
    raw.text = std::to_string(raw.integer);
  } else if (const auto* real = node.as_floating_point()) {
    raw.kind = Raw::Kind::real;
    raw.text = fmt::format("{}", real->get());
  } else if (const auto* boolean = node.as_boolean()) {
    raw.kind = Raw::Kind::boolean;
    raw.boolean = boolean->get();
    raw.text = raw.boolean ? "true" : "false";
  } else {
    raw.kind = Raw::Kind::date;
    raw.text = "a date or time";
  }
  return raw;
}

constexpr std::size_t file_size_max = 1 << 20;

std::optional<std::string> read_text(const std::filesystem::path& file, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    diagnostics.add({}, "", "is a directory; name a scenario file in it");
    return {};
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> handle(std::fopen(file.c_str(), "rbe"), &std::fclose);
  if (!handle) {
    const std::string reason = std::generic_category().message(errno);
    diagnostics.add({}, "", fmt::format("cannot be opened: {}", reason));
    return {};
  }
  std::string text(file_size_max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), handle.get()));
  if (std::ferror(handle.get())) {
    const std::string reason = std::generic_category().message(errno);
    diagnostics.add({}, "", fmt::format("cannot be read: {}", reason));
    return {};
  }
  if (text.size() > file_size_max) {
    diagnostics.add({}, "", "is larger than 1MiB: no scenario file");
    return {};
  }
  return text;
}

bool looks_like_utf16(std::string_view text) {
  if (text.size() < 2) {
    return false;
  }
  const bool marked = text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff";
  return marked || (text[0] == '\0') != (text[1] == '\0');  // an ASCII character in two bytes
}

// For a message: control characters shown by number, a long text cut.
std::string printable(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text.size() > longest ? out + "..." : out;
}

}  // namespace

const Member* Raw::find(std::string_view name) const {
  const auto at = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == name; });
  return at == members.end() ? nullptr : &*at;
}

std::string found_text(const Raw& raw) {
  switch (raw.kind) {
    case Raw::Kind::string:
      return fmt::format("\"{}\"", printable(raw.text));
    case Raw::Kind::list:
      return raw.items.empty() ? "an empty list" : "a list";
    case Raw::Kind::table:
      return "a table";
    default:
      return raw.text;
  }
}

std::optional<Raw> read_document(const std::filesystem::path& file, Diagnostics& diagnostics) {
  const std::optional<std::string> text = read_text(file, diagnostics);
  if (!text) {
    return {};
  }
  if (looks_like_utf16(*text)) {
    diagnostics.add({1, 1, {}}, "", "looks like UTF-16; scenario files are UTF-8: save it as UTF-8");
    return {};
  }
  try {
    return convert(toml::parse(std::string_view(*text)), {});
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    SyntaxFault fault = explain_syntax(*text, at.line, at.column, error.description());
    diagnostics.add({fault.line, fault.column, {}}, fault.key, std::move(fault.message));
    return {};
  }
}

std::optional<Raw> read_flag_value(std::string_view text, const std::string& flag) {
  try {
    const toml::table table = toml::parse("value = " + std::string(text));
    if (const toml::node* value = table.get("value"); value != nullptr && table.size() == 1) {
      return convert(*value, flag);
    }
  } catch (const toml::parse_error&) {
    if (!text.empty() && std::string_view("\"'[{").find(text.front()) != std::string_view::npos) {
      return {};
    }
  }
  Raw word;
  word.text = text;
  word.place.flag = flag;
  return word;
}

}  // namespace tlsrig::scenario
