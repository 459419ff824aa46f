// The one table of what a scenario file may say. Reading, checking, overriding, the axes of [matrix], the effective
// JSON and the reference in scenarios/README.md all come from it, so they cannot disagree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::scenario {

enum class KeyType {
  integer,
  boolean,
  text,
  name,      // letters, digits, '.', '_' and '-': it becomes part of cell ids and of file names
  file,      // a path, relative to the scenario file
  duration,  // nanoseconds
  size,      // bytes
  rate,      // per second
  percent,
  word,        // one of `words`
  backend,     // "backend" or a backend's name
  backends,    // a list of backends' names
  plugin,      // a backend's name, but no variant's
  thresholds,  // a list of tables {backend, metric, expr}
};

// As parsed: numbers in base units (a percentage and a rate as double), words and names as text.
using Value = std::variant<bool, std::uint64_t, double, std::string>;

struct Word {
  std::string_view text;
  bool offered = true;  // false: a known word that this version cannot run
};

// Where a key lives in Settings. Both are null for keys that are about the file as a whole.
struct Access {
  Value (*get)(const Settings&) = nullptr;
  void (*set)(Settings&, const Value&) = nullptr;
};

using Workloads = unsigned;  // a bit per Workload
constexpr Workloads bit(Workload workload) { return 1U << static_cast<unsigned>(workload); }
inline constexpr Workloads every_workload = ~0U;
inline constexpr Workloads relayed =
    bit(Workload::echo) | bit(Workload::pipe) | bit(Workload::connect) | bit(Workload::idle);
inline constexpr Workloads one_way = bit(Workload::stream) | bit(Workload::pipe);
inline constexpr Workloads moving = bit(Workload::echo) | bit(Workload::stream) | bit(Workload::pipe);
inline constexpr Workloads socketed = moving | bit(Workload::connect) | bit(Workload::idle);
inline constexpr Workloads engine_only = bit(Workload::engine);

struct Key {
  std::string_view path;  // dotted
  KeyType type = KeyType::text;
  Access access = {};
  std::uint64_t least = 0, most = 0;     // of numbers, in base units; of a percentage in hundredths of 1 %
  std::span<const Word> words = {};      // of KeyType::word
  std::string_view zero = {};            // the word that stands for 0: "auto", "default", "closed"
  Workloads workloads = every_workload;  // that the key applies to
  bool axis = true;                      // may stand in [matrix]
  bool offered = true;                   // false: known, but this version cannot run it
  bool zero_only = false;                // this version offers the zero word alone
  std::string_view default_text = {};    // for the reference, when it is not simply the value in Settings
  std::string_view example = {};         // TOML; empty: the default
  std::string_view meaning = {};         // one sentence
};

std::span<const Key> keys();
const Key* find_key(std::string_view path);

// Tables by their dotted path; "" is the top of the file.
struct Table {
  std::string_view path;
  std::string_view meaning;
  Workloads workloads = every_workload;
  bool offered = true;
};

std::span<const Table> tables();
const Table* find_table(std::string_view path);

std::string_view table_of(std::string_view path);   // "tls" of "tls.version"; "" at the top
std::string_view last_part(std::string_view path);  // "version" of "tls.version"
std::string join(std::string_view table, std::string_view name);
bool lies_in(std::string_view path, std::string_view table);  // the table itself or something below it

// Names of keys and tables directly in a table.
std::vector<std::string> names_in(std::string_view table);

std::string_view workload_name(Workload workload);
std::span<const Word> workload_words();
std::vector<std::string> texts(std::span<const Word> words, bool offered_only);

// "the workloads echo, stream and pipe": for messages.
std::string workloads_text(Workloads workloads);

}  // namespace tlsrig::scenario
