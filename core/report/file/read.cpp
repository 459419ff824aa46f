// From a document to the model, member by member in the order of json.cpp, and then what one part says of another.
#include <tlsrig/report/file/read.hpp>

#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/file/document.hpp>
#include <tlsrig/report/file/place.hpp>
#include <tlsrig/report/file/whole.hpp>
#include <tlsrig/report/select.hpp>

namespace tlsrig::report {
namespace {

constexpr std::uint64_t schema_read = 1;

const auto read_text = [](const Place& place) { return place.text(); };
const auto read_name = [](const Place& place) { return place.name(); };
const auto read_count = [](const Place& place) { return place.count(); };
const auto read_number = [](const Place& place) { return place.number(); };
const auto read_ratio = [](const Place& place) { return place.positive_number(); };
const auto read_boolean = [](const Place& place) { return place.boolean(); };

// A text that is null when it was not told, and empty in the model.
std::string told(const Place& place) { return place.is_null() ? "" : place.text(); }

// Keys that came to the format after its first version are missing in files of then.
std::string told_later(const Place& place, const char* key) {
  const auto found = place.find(key);
  return found ? told(*found) : "";
}

template <typename Value, typename Read>
std::map<std::string, Value> map_of(const Place& place, Read read) {
  std::map<std::string, Value> values;
  place.members([&](const std::string& key, const Place& value) { values.emplace(key, read(value)); });
  return values;
}

RoleCounts role_counts(const Place& place) {
  const auto count = [&](const char* key) { return place.at(key).unless_null(read_count); };
  const auto later_count = [&](const char* key) {
    const auto found = place.find(key);
    return found ? found->count() : 0;
  };
  return {count("records_in"),
          count("records_out"),
          count("reads"),
          count("writes"),
          count("bytes_in"),
          count("bytes_out"),
          later_count("warmup_operations"),
          later_count("operations")};
}

Proof proof(const Place& place) {
  const auto text = [&](const char* key) { return place.at(key).unless_null(read_text); };
  const auto yes_or_no = [&](const char* key) { return place.at(key).unless_null(read_boolean); };
  const auto by = [](const Place& source) { return source.one_of({"wire", "library"}); };
  const Place resumed = place.at("resumed"), connections = place.at("connections");
  Proof proof;
  proof.version = text("version");
  proof.cipher = text("cipher");
  proof.group = text("group");
  proof.signature = text("signature");
  proof.resumed_yes = resumed.at("yes").unless_null(read_count);
  proof.resumed_no = resumed.at("no").unless_null(read_count);
  proof.hello_retry = yes_or_no("hello_retry");
  proof.peer_verified = yes_or_no("peer_verified");
  proof.encrypt_then_mac = yes_or_no("encrypt_then_mac");
  proof.tickets = place.at("tickets").unless_null(read_count);
  proof.source = map_of<std::string>(place.at("source"), by);
  proof.connections_asked = connections.at("asked").count();
  proof.connections_achieved = connections.at("achieved").count();
  proof.bytes_verified = place.at("bytes_verified").count();
  proof.errors = map_of<std::uint64_t>(place.at("errors"), read_count);
  proof.roles = map_of<RoleCounts>(place.at("roles"), role_counts);
  return proof;
}

// Two ends: both or none, in order.
template <typename Value>
void read_interval(const Place& place, Value& value) {
  value.low = place.at("low").unless_null(read_number);
  value.high = place.at("high").unless_null(read_number);
  if (value.low.has_value() != value.high.has_value()) place.refuse_as("an interval needs both its ends, or both null");
  if (value.low && *value.low > *value.high)
    place.at("low").refuse(fmt::format("a number not above that of \"high\", {},", *value.high));
}

Metric metric(const std::string& name, const Place& place) {
  Metric metric;
  metric.name = name;
  metric.unit = place.at("unit").text();
  metric.better = place.at("better").one_of({"higher", "lower"});
  metric.value = place.at("value").unless_null(read_number);
  read_interval(place, metric);
  metric.n = place.at("n").count();
  metric.description = told_later(place, "description");
  return metric;
}

RoleUse role_use(const Place& place) {
  return {place.at("cpu_user").number(), place.at("cpu_system").number(), place.at("involuntary_switches").count()};
}

// [[upper bound in ns, count], ...], ascending. Looked through without a Place for each: a file has a million of them.
Json histogram(const Place& place) {
  constexpr std::uint64_t longest_ns = 10'000'000'000'000, most = 1'000'000'000'000'000;
  constexpr std::size_t most_buckets = 10'000;
  if (place.is_null()) return nullptr;
  const Json& json = place.json();
  const std::string needed = "a list of [nanoseconds, count], ascending,";
  if (!json.is_array()) place.refuse(needed);
  if (json.size() > most_buckets)
    place.refuse_as(fmt::format("found {} buckets; at most {} are read", json.size(), most_buckets));
  std::optional<std::uint64_t> before;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json& bucket = json[i];
    const bool pair = bucket.is_array() && bucket.size() == 2;
    const auto upper = pair ? whole_number(bucket[0]) : std::nullopt;
    const auto count = pair ? whole_number(bucket[1]) : std::nullopt;
    if (!upper || !count || *upper > longest_ns || *count > most || (before && *upper <= *before))
      place.refuse_as(fmt::format("[{}] is {}, {} is needed", i, bucket.dump().substr(0, 60), needed));
    before = upper;
  }
  return json;
}

Block block(const Place& place) {
  constexpr std::uint64_t most_arms = 10'000;
  Block block;
  block.order = static_cast<unsigned>(place.at("order").count(0, most_arms));
  block.seconds = place.at("seconds").positive_number();
  block.operations = place.at("operations").count(1);
  block.roles = map_of<RoleUse>(place.at("roles"), role_use);
  block.histogram = histogram(place.at("histogram"));
  block.layout = place.at("layout").any_object();
  block.steal = place.at("steal").unless_null(read_number);
  block.flags = place.at("flags").list(read_text);
  return block;
}

Status status(const Place& place) {
  const std::string word = place.one_of({"ok", "failed", "unsupported", "incomplete"});
  if (word == "ok") return Status::ok;
  if (word == "failed") return Status::failed;
  return word == "unsupported" ? Status::unsupported : Status::incomplete;
}

Arm arm(const Place& place) {
  Arm arm;
  arm.id = place.at("id").name();
  arm.backend = place.at("backend").name();
  arm.variant = place.at("variant").unless_null(read_name);
  arm.settings = place.at("settings").any_object();
  arm.roles = map_of<std::string>(place.at("roles"), read_text);
  arm.twin = place.at("twin").boolean();
  arm.status = status(place.at("status"));
  arm.reason = place.at("reason").unless_null(read_text);
  arm.proof = proof(place.at("proof"));
  const Place metrics = place.at("metrics");
  metrics.members([&](const std::string& name, const Place& value) { arm.metrics.push_back(metric(name, value)); });
  if (!arm.metrics.empty() && (arm.status == Status::failed || arm.status == Status::unsupported))
    metrics.refuse_as(fmt::format("found metrics, an arm that is {} has none", words_for(arm.status)));
  arm.blocks = place.at("blocks").list(block);
  if (arm.status == Status::ok && !arm.proof.errors.empty())
    place.at("proof").at("errors").refuse_as("found errors, an arm that is ok has none");
  if (arm.status == Status::ok && arm.proof.connections_achieved != arm.proof.connections_asked)
    place.at("proof")
        .at("connections")
        .refuse_as(fmt::format("found {} of {} connections, an arm that is ok has all", arm.proof.connections_achieved,
                               arm.proof.connections_asked));
  return arm;
}

Comparison comparison(const Place& place) {
  Comparison comparison;
  comparison.arm = place.at("arm").name();
  comparison.baseline = place.at("baseline").name();
  comparison.metric = place.at("metric").name();
  comparison.ratio = place.at("ratio").unless_null(read_ratio);
  read_interval(place, comparison);
  comparison.n = place.at("n").count();
  comparison.limit = place.at("limit").unless_null(read_number);
  comparison.verdict = place.at("verdict").unless_null(read_text);
  if (const auto needed = place.find("blocks_needed")) comparison.blocks_needed = needed->unless_null(read_count);
  return comparison;
}

// An arm of the cell that a part of it names.
const Arm& named_arm(const Cell& cell, const Place& place) {
  const std::string id = place.name();
  if (const Arm* arm = find_arm(cell, id)) return *arm;
  std::string ids;
  for (const Arm& each : cell.arms) ids += (ids.empty() ? "" : ", ") + each.id;
  place.refuse_as(fmt::format("\"{}\" is no arm of this cell, which has {}", id, ids.empty() ? "none" : ids));
}

// What a comparison names is there, and is an arm that may be compared.
void require_comparable(const Cell& cell, const Place& place, std::set<std::tuple<std::string, std::string>>& seen) {
  for (const char* key : {"arm", "baseline"}) {
    const Arm& arm = named_arm(cell, place.at(key));
    if (arm.status != Status::ok)
      place.at(key).refuse_as(
          fmt::format("\"{}\" is {}: only arms that are ok are compared", arm.id, words_for(arm.status)));
  }
  if (!seen.emplace(place.at("arm").name(), place.at("metric").name()).second)
    place.refuse_as("the second comparison of this arm and metric");
}

Cell cell(const Place& place) {
  Cell cell;
  cell.id = place.at("id").name();
  cell.scenario = place.at("scenario").name();
  cell.workload = place.at("workload").name();
  place.at("params").members(
      [&](const std::string& key, const Place& value) { cell.params.emplace_back(key, value.text()); });
  cell.arms = place.at("arms").list(arm);
  cell.run = told_later(place, "run");
  std::set<std::string> ids;
  for (std::size_t i = 0; i < cell.arms.size(); ++i) {
    cell.arms[i].run = cell.run;
    if (!ids.insert(cell.arms[i].id).second)
      place.refuse_as(fmt::format("arms[{}].id: \"{}\" is the id of another arm too", i, cell.arms[i].id));
  }
  const Place comparisons = place.at("comparisons");
  cell.comparisons = comparisons.list(comparison);
  if (const auto baseline = place.find("baseline"); baseline && !baseline->is_null())
    cell.baseline = named_arm(cell, *baseline).id;
  else if (!cell.comparisons.empty())
    cell.baseline = cell.comparisons.front().baseline;
  std::set<std::tuple<std::string, std::string>> seen;
  comparisons.list([&](const Place& each) {
    require_comparable(cell, each, seen);
    return true;
  });
  return cell;
}

BackendRecord backend(const Place& place) {
  BackendRecord backend;
  backend.name = place.at("name").name();
  backend.variant = place.at("variant").unless_null(read_name);
  backend.library = told(place.at("library"));
  backend.files = place.at("files").list([](const Place& file) {
    return LibraryFile{file.at("path").text(), told(file.at("build_id"))};
  });
  backend.build = told(place.at("build"));
  backend.features = place.at("features").json();
  backend.warnings = place.at("warnings").list(read_text);
  backend.run = told_later(place, "run");
  return backend;
}

ScenarioRecord scenario(const Place& place) {
  return {place.at("name").name(), place.at("file").text(), place.at("effective").any_object(),
          told_later(place, "run")};
}

Threshold threshold(const Place& place) {
  Threshold threshold;
  threshold.expr = place.at("expr").text();
  threshold.metric = told_later(place, "metric");
  threshold.cell = told_later(place, "cell");
  threshold.arm = told_later(place, "arm");
  threshold.backend = place.at("backend").text();
  threshold.value = place.at("value").unless_null(read_number);
  threshold.held = place.at("held").unless_null(read_boolean);
  const auto kind = place.find("kind");
  threshold.kind = kind ? kind->one_of({"ratio", "percentile", "rate", "bytes"}) : "";
  if (const auto reason = place.find("reason")) threshold.reason = reason->unless_null(read_text);
  return threshold;
}

// What a result and each of several runs in it have alike.
template <typename Run>
void read_run(const Place& place, Run& run) {
  run.complete = place.at("complete").boolean();
  run.version = place.at("tool").at("version").text();
  run.started = told_later(place, "started");
  run.command = place.at("command").list(read_text);
  run.seed = place.at("seed").count();
  run.machine = place.at("machine").any_object();
  if (const auto in_process = place.find("in_process")) run.in_process = in_process->boolean();
  if (const auto quick = place.find("quick")) run.quick = quick->boolean();
}

RunRecord run(const Place& place) {
  RunRecord run;
  run.label = place.at("label").name();
  read_run(place, run);
  return run;
}

// What it holds cannot be read by others' rules.
void require_schema(const Place& place) {
  if (!place.json().is_object()) place.refuse("an object with \"schema\": 1");
  const auto schema = place.find("schema");
  if (!schema && place.find("benchmarks"))
    place.refuse_as("this is Google Benchmark's JSON, made for other programs; the result.json of that run is needed");
  if (!schema) place.refuse_as("the key \"schema\" is missing: no result of tlsrig run");
  if (schema->json() != Json(schema_read))
    schema->refuse(fmt::format("{} (the schema that this version of tlsrig reads)", schema_read));
}

}  // namespace

Result result_from_json(const Json& json) {
  const Place place(json);
  require_schema(place);
  Result result;
  read_run(place, result);
  result.scenarios = place.at("scenarios").list(scenario);
  result.backends = place.at("backends").list(backend);
  result.cells = place.at("cells").list(cell);
  result.thresholds = place.at("thresholds").list(threshold);
  if (const auto runs = place.find("runs")) result.runs = runs->list(run);
  require_whole(result);
  require_self_checks(place, result);
  return result;
}

Result read_result(const std::filesystem::path& file) {
  const std::string name = file == "-" ? "standard input" : file.string();
  try {
    return result_from_json(parse_document(read_document_text(file)));
  } catch (const UnreadableResult& fault) {
    throw UnreadableResult(fmt::format("{}: {}", name, fault.what()));
  }
}

}  // namespace tlsrig::report
