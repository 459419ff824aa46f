// A scenario file as a tree of values that know their place in it. The only part that sees the TOML library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/scenario/diagnostics.hpp>

namespace tlsrig::scenario {

struct Member;

// A value as written.
struct Raw {
  enum class Kind { string, integer, real, boolean, date, list, table };
  Kind kind = Kind::string;
  std::string text;             // of a scalar, as written; strings without their quotes
  std::int64_t integer = 0;     // Kind::integer
  bool boolean = false;         // Kind::boolean
  std::vector<Raw> items;       // Kind::list
  std::vector<Member> members;  // Kind::table, in the order of the file
  Place place;

  bool is_scalar() const { return kind != Kind::list && kind != Kind::table; }
  const Member* find(std::string_view name) const;
};

struct Member {
  std::string name;
  Place place;  // of the name
  Raw value;
};

// What a diagnostic says was found: `"1kib"`, `1.5`, `a list`.
std::string found_text(const Raw& raw);

// The tree of a file; nullopt after a diagnostic (missing, a directory, unreadable, too large, not UTF-8, not TOML).
std::optional<Raw> read_document(const std::filesystem::path& file, Diagnostics& diagnostics);

// A value from the command line: TOML, or else a bare word that stands for a string. nullopt: it begins like a string,
// list or table of TOML but is none.
std::optional<Raw> read_flag_value(std::string_view text, const std::string& flag);

}  // namespace tlsrig::scenario
