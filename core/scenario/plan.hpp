// A scenario file, read and found good, spread out into cells and arms.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::scenario {

// One of the things compared inside a cell.
struct ArmPlan {
  std::string id;       // what is compared: a backend's name, or the value of the compared key; a twin ends in "#2"
  std::string backend;  // what "backend" stands for in [roles]
  bool twin = false;    // the baseline once more: what it differs by is what this machine cannot resolve
  Settings settings;    // every role's backend resolved
};

struct CellPlan {
  std::string id;  // "echo/message_size=1KiB/cipher=TLS_AES_128_GCM_SHA256"
  std::vector<std::pair<std::string, std::string>> parameters;  // the matrix key and its value as written
  std::string baseline;                                         // id of an arm
  std::vector<ArmPlan> arms;
};

// What a threshold is about: a ratio to the baseline, or a value: a duration in seconds, operations per second, payload
// bytes per second.
enum class ThresholdKind { ratio, percentile, rate, bytes };

std::string_view threshold_kind_name(ThresholdKind kind);
ThresholdKind threshold_kind(std::string_view name);  // one of those names

// "low > 0.95": which end of the interval has to be where.
struct Expression {
  bool is_floor = false;  // the low end has to be above the bound; else the high end below it
  bool or_equal = false;
  double bound = 0;
};

// What has to hold for arms of a plan.
struct ThresholdPlan {
  struct Target {
    std::string cell, arm, backend;  // ids
  };
  ThresholdKind kind = ThresholdKind::ratio;
  std::string metric, expr;  // as written
  Expression demand;         // what expr says
  std::vector<Target> targets;
};

// Another build of a backend's library, under a name of its own that stands for a backend everywhere.
struct Variant {
  std::string name, plugin;                 // plugin: the backend whose plugin runs on it
  std::filesystem::path library_directory;  // absolute
  bool by_flag = false;                     // --variant said it, not the file
};

struct ScenarioPlan {
  std::string name, description;
  std::filesystem::path file;
  Workload workload = Workload::echo;
  nlohmann::ordered_json effective;  // every key with the value in force
  std::vector<std::string> backends;
  std::vector<Variant> variants;
  std::vector<CellPlan> cells;
  std::vector<ThresholdPlan> thresholds;  // about these cells
};

// One fault of a scenario. what(): "FILE:LINE:COLUMN: KEY: what is wrong, what is allowed"; for a fault of the command
// line "FLAG: KEY: ..." without the file, so that the same fault told for two files is the same text.
struct Diagnostic {
  std::filesystem::path file;
  unsigned line = 0, column = 0;  // 0: the fault has no place in the file (a flag, a missing key)
  std::string key;                // dotted path
  std::string message;
  std::string flag;  // "-s traffic.connections=0", "--filter": what the command line said; else empty
  std::string what() const;
};

// What the command line says over the file.
struct Overrides {
  std::vector<std::string> backends;                                     // -b
  std::vector<std::string> variants;                                     // --variant NAME=PLUGIN:DIR
  std::optional<std::string> baseline;                                   // --baseline
  std::vector<std::pair<std::string, std::string>> settings;             // -s KEY=VALUE
  std::vector<std::pair<std::string, std::vector<std::string>>> matrix;  // -P KEY=V1,V2
  std::optional<std::uint32_t> blocks;                                   // -r
  std::optional<std::uint64_t> seed;                                     // --seed
  std::optional<std::string> filter;  // --filter: a POSIX extended regular expression on ids
  bool quick = false;                 // --quick
};

// Names that a scenario may use as a backend beside its variants: the four that tlsrig ships, and whatever else was
// found.
struct KnownBackends {
  std::vector<std::string> names;
};

struct Outcome {
  std::optional<ScenarioPlan> plan;     // when there is no diagnostic
  std::vector<Diagnostic> diagnostics;  // all semantic faults at once
};

// Reads one scenario file. Opens nothing but the file and the certificate files that it names, of which it only looks
// whether they can be read, as it looks whether the directories of variants exist; never throws for what the file says.
Outcome read_scenario(const std::filesystem::path& file, const Overrides& overrides, const KnownBackends& known);

// Those of --variant alone, without a scenario.
struct FlagVariants {
  std::vector<Variant> variants;
  std::vector<Diagnostic> diagnostics;
};
FlagVariants variants_of_flags(const std::vector<std::string>& flags, const KnownBackends& known);

// Settings as JSON, keys spelled as in scenario files (nested by table), and back: how they reach a worker.
nlohmann::ordered_json to_json(const Settings& settings);
Settings settings_from_json(const nlohmann::ordered_json& json);

}  // namespace tlsrig::scenario
