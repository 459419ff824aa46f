// What a scenario file and the command line say, key by key, each value parsed: the step between a tree of TOML and a
// plan.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tlsrig/scenario/document.hpp>
#include <tlsrig/scenario/keys.hpp>
#include <tlsrig/scenario/values.hpp>

namespace tlsrig::scenario {

struct Assigned {
  const Key* key = nullptr;
  Value value;
  Place place;  // of the value
};

// One value of an axis: what it sets (a table sets several keys) and its name in cell ids.
struct AxisValue {
  std::string text;  // as written
  std::vector<Assigned> parts;
  Place place;
};

struct Axis {
  std::string path;
  std::vector<AxisValue> values;
  Place place;
};

// A table of [thresholds] whose members are good.
struct ThresholdDraft {
  ThresholdKind kind = ThresholdKind::ratio;
  Place place;
  std::map<std::string, std::string, std::less<>> said;  // by member
  std::map<std::string, Place, std::less<>> places;
};

struct Draft {
  std::map<std::string, Assigned, std::less<>> keys;  // by path
  std::vector<std::string> backends;
  Place backends_place;
  std::vector<Axis> axes;
  std::vector<ThresholdDraft> thresholds;
  std::optional<Workload> workload;
  std::set<std::string, std::less<>> faulty;  // paths with a diagnostic of their own: not to be judged further
  bool axes_faulty = false;                   // the cells cannot be told
  bool relay = false;                         // [relay], one of its keys or an axis of one was said
  Place matrix_place;

  Place place_of(std::string_view path) const;
  std::string text_of(std::string_view path) const;  // of a key with a text; empty when it was not said
};

class Collector {
 public:
  Collector(const std::filesystem::path& file, const KnownBackends& known, Draft& draft, Diagnostics& diagnostics)
      : file_(file), known_(known), draft_(draft), diagnostics_(diagnostics) {}

  // Everything that the file says. draft.workload is set already: it decides which keys apply.
  void take_document(const Raw& document);

  // A value at a path, as -s says it or a table of the file: replaces what the path had.
  void assign(std::string_view path, const Place& key_place, const Raw& raw);

  // The values of an axis; nothing is added when one of them is faulty.
  void add_axis(std::string_view path, const Place& key_place, const Raw& list);

  void take_backends(const Raw& raw);

 private:
  void take_table(std::string_view table, const Raw& raw);
  void take_matrix(std::string_view prefix, const Raw& raw);
  void take_thresholds(const Key& key, const Raw& raw);
  void take_threshold(const Key& key, ThresholdKind kind, const Raw& table);
  bool enter_table(const Table& table, const Place& place);
  bool check_applies(const Key& key, const Place& place);
  std::optional<Assigned> parse(const Key& key, const Place& key_place, const Raw& raw);
  std::optional<AxisValue> axis_value(std::string_view path, const Raw& raw);
  bool axis_parts(std::string_view path, const Place& key_place, const Raw& raw, AxisValue& out);
  bool check_axis_path(std::string_view path, const Place& place);
  std::optional<Axis> axis_of(std::string_view path, const Place& key_place, const Raw& list);
  void fault(const Place& place, std::string_view key, std::string message);

  const std::filesystem::path& file_;
  const KnownBackends& known_;
  Draft& draft_;
  Diagnostics& diagnostics_;
};

// The keys that a value at a path sets: of a table those that it names, of a list those of all its items. Who plays a
// role and over which transport are two keys, so that `roles.client` leaves the transport alone when it is a name.
std::vector<std::string> keys_said(std::string_view path, const Raw& raw);
std::vector<std::string> keys_of(const Axis& axis);

// Whether setting the one key undoes the other: the same, or tls.certificate by name and by files.
bool exclude_each_other(std::string_view left, std::string_view right);

// The first of the keys that the axis sets too; nullptr: none.
const std::string* first_overlap(const std::vector<std::string>& said, const Axis& axis);

// The key itself, or the one that a short form stands for: `roles.client = "x"` says roles.client.backend.
std::string long_form(std::string_view path);

// What to say of a name that is no key of a table: the right table, the nearest name, or all names.
std::string unknown_text(std::string_view table, std::string_view name);

// The same for a dotted path, of -s, -P or [matrix].
std::string unknown_path_text(std::string_view path);

}  // namespace tlsrig::scenario
