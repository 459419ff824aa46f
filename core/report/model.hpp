// The result of a run: what every report is rendered from. Members are spelled as in result.json. An empty optional is
// null there: not measured, or not told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tlsrig::report {

using Json = nlohmann::ordered_json;

enum class Status { ok, failed, unsupported, incomplete };

// Counts on the wire of one part: "client", "server", "relay_inbound", "relay_outbound". Summed over the blocks of an
// arm. Records are counted in the warm-ups alone, calls and bytes in the measured slices alone: each is divided by the
// operations of its own part. Calls count whatever they give, EAGAIN included; an engine has none. All are empty when
// the library's calls went round those that are counted.
struct RoleCounts {
  std::optional<std::uint64_t> records_in, records_out, reads, writes, bytes_in, bytes_out;
  std::uint64_t warmup_operations = 0;  // what records_* belong to
  std::uint64_t operations = 0;         // what the others belong to
};

struct Proof {
  // group: "none" when the key exchange has no group. version: "none" of plain TCP.
  std::optional<std::string> version, cipher, group, signature;
  std::optional<std::uint64_t> resumed_yes, resumed_no;
  std::optional<bool> hello_retry, peer_verified, encrypt_then_mac;
  std::optional<std::uint64_t> tickets;       // that the clients have read on the proved connections, over all blocks
  std::map<std::string, std::string> source;  // field: "wire" or "library"
  std::uint64_t connections_asked = 0, connections_achieved = 0;
  std::uint64_t bytes_verified = 0;
  std::map<std::string, std::uint64_t> errors;  // by kind
  std::map<std::string, RoleCounts> roles;      // by part
};

struct Metric {
  std::string name, unit;
  std::string better;                      // "higher" or "lower"
  std::optional<double> value, low, high;  // median of the blocks; its interval
  std::uint64_t n = 0;                     // blocks, or samples of a percentile
  std::string description{};               // what is counted, at which side, in which direction; empty: not told
};

struct RoleUse {
  double cpu_user = 0, cpu_system = 0;  // seconds
  std::uint64_t involuntary_switches = 0;
};

struct Block {
  unsigned order = 0;  // place in the arms' first round of this block
  double seconds = 0;
  std::uint64_t operations = 0;
  // By role, each a process. Of an engine, one process for both sides: "engine", and of it the parts of "client" and
  // "server" where they were told apart.
  std::map<std::string, RoleUse> roles;
  Json histogram;               // sparse: [[upper bound in ns, count], ...]; null when the workload has none
  Json layout;                  // where buffers were placed
  std::optional<double> steal;  // share of the block's time
  std::vector<std::string> flags;
};

struct Arm {
  std::string id, backend;
  std::optional<std::string> variant;
  Json settings;
  std::map<std::string, std::string> roles;  // role: backend
  bool twin = false;
  Status status = Status::incomplete;
  std::optional<std::string> reason;
  Proof proof;
  std::vector<Metric> metrics;
  std::vector<Block> blocks;
  std::string run{};  // as its cell's
};

struct Comparison {
  std::string arm, baseline, metric;
  std::optional<double> ratio, low, high;
  std::uint64_t n = 0;
  std::optional<double> limit;
  std::optional<std::string> verdict;
  std::optional<std::uint64_t> blocks_needed;  // inconclusive: about how many would settle it
};

struct Cell {
  std::string id, scenario, workload;
  std::vector<std::pair<std::string, std::string>> params;
  std::string baseline;
  std::vector<Arm> arms;
  std::vector<Comparison> comparisons;
  std::string run{};  // the label of its run, where a result holds several
};

struct LibraryFile {
  std::string path, build_id;
};

struct BackendRecord {
  std::string name;
  std::optional<std::string> variant;
  std::string library, build;
  // {"versions", "transports", "ciphers", "chooses_tls13_ciphers", "groups", "extensions"}; null: not told
  Json features;
  std::vector<LibraryFile> files;
  std::vector<std::string> warnings;
  std::string run{};  // as a cell's: what ran under one name in two runs may be two builds
};

struct ScenarioRecord {
  std::string name, file;
  Json effective;
  std::string run{};  // as a cell's
};

// What a scenario demanded of one cell's arm, and what came of it.
struct Threshold {
  std::string expr, metric;  // as the scenario writes them
  std::string cell, arm, backend;
  std::optional<double> value;        // the end of the interval that was judged: the unfavourable one
  std::optional<bool> held;           // null: not judged
  std::optional<std::string> reason;  // why it was not judged
  std::string kind = "ratio";         // "ratio", "percentile" (s), "rate" (operations/s) or "bytes" (B/s)
};

// One of several runs whose results stand in one (merge.hpp).
struct RunRecord {
  std::string label;
  bool complete = false;
  std::string version, started;
  std::vector<std::string> command;
  std::uint64_t seed = 0;
  bool in_process = false, quick = false;
  Json machine;
};

// Of several runs the members up to `machine` hold what is true of all, or of any (in_process, quick); command and
// seed are empty and 0. Two runs never compare: no comparison reaches over a cell.
struct Result {
  bool complete = false;
  std::string version;
  std::string started;  // UTC, "2026-01-31T12:00:00Z"; empty: not told
  std::vector<std::string> command;
  std::uint64_t seed = 0;
  bool in_process = false;  // the roles were threads of one process
  bool quick = false;       // few and short blocks: a first look
  Json machine;
  std::vector<ScenarioRecord> scenarios;
  std::vector<BackendRecord> backends;
  std::vector<Cell> cells;
  std::vector<Threshold> thresholds;
  std::vector<RunRecord> runs{};  // of several runs; empty: one run, which the members above describe
};

// The result file of schema 1. "self_check" is what the comparisons of twin arms say; at the top stands the worst one.
// An arm that failed or is unsupported has no metrics there and is in no comparison, whatever the model holds.
Json to_json(const Result& result);

// The same as text: an object or list of plain values on one line, UTF-8 whatever the strings hold, a newline at the
// end.
std::string to_json_text(const Result& result);

// Writes the result so that a reader sees the old file or the new one, never a part: a temporary file beside it,
// flushed, then renamed. Throws std::system_error with the path.
void write_atomically(const std::filesystem::path& file, const Result& result);

struct TextOptions {
  bool colour = false;
  bool verbose = false;
  unsigned width = 120;  // columns
};

// The terminal report: a table per cell, then the backends, their files and warnings. No line ends in a space; none is
// wider than asked unless a single word or number column is.
std::string to_text(const Result& result, const TextOptions& options);

// A finished cell in one line, for progress: "echo/message_size=1KiB: boringssl 152.3 kop/s, openssl 140.6 kop/s,
// wolfssl failed". Without a newline.
std::string cell_line(const Cell& cell);

}  // namespace tlsrig::report
