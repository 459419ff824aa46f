// The result file. Keys stand in the order of the format's description, so that two files can be compared by eye.
#include <algorithm>
#include <cmath>

#include <tlsrig/report/file/self_checks.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>

namespace tlsrig::report {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// An empty text is one that was not told.
Json told(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <typename Map, typename Convert>
Json object(const Map& map, Convert convert) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = convert(value);
  return json;
}

template <typename List, typename Convert>
Json array(const List& list, Convert convert) {
  Json json = Json::array();
  for (const auto& element : list) json.push_back(convert(element));
  return json;
}

const auto same = [](const auto& value) { return Json(value); };

// Where a result holds several runs, what belongs to one of them says so.
Json with_run(Json json, const std::string& run) {
  if (!run.empty()) json["run"] = run;
  return json;
}

Json to_json(const RoleCounts& counts) {
  return {{"records_in", or_null(counts.records_in)}, {"records_out", or_null(counts.records_out)},
          {"reads", or_null(counts.reads)},           {"writes", or_null(counts.writes)},
          {"bytes_in", or_null(counts.bytes_in)},     {"bytes_out", or_null(counts.bytes_out)},
          {"operations", counts.operations},          {"warmup_operations", counts.warmup_operations}};
}

Json to_json(const Proof& proof) {
  return {{"version", or_null(proof.version)},
          {"cipher", or_null(proof.cipher)},
          {"group", or_null(proof.group)},
          {"signature", or_null(proof.signature)},
          {"resumed", {{"yes", or_null(proof.resumed_yes)}, {"no", or_null(proof.resumed_no)}}},
          {"hello_retry", or_null(proof.hello_retry)},
          {"peer_verified", or_null(proof.peer_verified)},
          {"encrypt_then_mac", or_null(proof.encrypt_then_mac)},
          {"tickets", or_null(proof.tickets)},
          {"source", object(proof.source, same)},
          {"connections", {{"asked", proof.connections_asked}, {"achieved", proof.connections_achieved}}},
          {"bytes_verified", proof.bytes_verified},
          {"errors", object(proof.errors, same)},
          {"roles", object(proof.roles, [](const RoleCounts& counts) { return to_json(counts); })}};
}

Json to_json(const Metric& metric) {
  Json json = {{"unit", metric.unit},       {"better", metric.better},     {"value", number(metric.value)},
               {"low", number(metric.low)}, {"high", number(metric.high)}, {"n", metric.n}};
  if (!metric.description.empty()) json["description"] = metric.description;
  return json;
}

Json to_json(const RoleUse& use) {
  return {{"cpu_user", number(use.cpu_user)},
          {"cpu_system", number(use.cpu_system)},
          {"involuntary_switches", use.involuntary_switches}};
}

Json to_json(const Block& block) {
  return {
      {"order", block.order},           {"seconds", number(block.seconds)},
      {"operations", block.operations}, {"roles", object(block.roles, [](const RoleUse& use) { return to_json(use); })},
      {"histogram", block.histogram},   {"layout", block.layout},
      {"steal", number(block.steal)},   {"flags", array(block.flags, same)}};
}

Json metrics_of(const Arm& arm) {
  Json json = Json::object();
  if (arm.status == Status::failed || arm.status == Status::unsupported) return json;
  for (const Metric& metric : arm.metrics) json[metric.name] = to_json(metric);
  return json;
}

Json to_json(const Arm& arm) {
  return {{"id", arm.id},
          {"backend", arm.backend},
          {"variant", or_null(arm.variant)},
          {"settings", arm.settings},
          {"roles", object(arm.roles, same)},
          {"twin", arm.twin},
          {"status", words_for(arm.status)},
          {"reason", or_null(arm.reason)},
          {"proof", to_json(arm.proof)},
          {"metrics", metrics_of(arm)},
          {"blocks", array(arm.blocks, [](const Block& block) { return to_json(block); })}};
}

Json to_json(const Comparison& comparison) {
  Json json = {{"arm", comparison.arm},
               {"baseline", comparison.baseline},
               {"metric", comparison.metric},
               {"ratio", number(comparison.ratio)},
               {"low", number(comparison.low)},
               {"high", number(comparison.high)},
               {"n", comparison.n},
               {"limit", number(comparison.limit)},
               {"verdict", or_null(comparison.verdict)}};
  if (comparison.blocks_needed) json["blocks_needed"] = *comparison.blocks_needed;
  return json;
}

Json to_json(const Cell& cell) {
  return with_run({{"id", cell.id},
                   {"scenario", cell.scenario},
                   {"workload", cell.workload},
                   {"params", object(cell.params, same)},
                   {"baseline", told(cell.baseline)},
                   {"arms", array(cell.arms, [](const Arm& arm) { return to_json(arm); })},
                   {"comparisons",
                    array(valid_comparisons(cell), [](const Comparison* comparison) { return to_json(*comparison); })},
                   {"self_check", self_check_of(cell)}},
                  cell.run);
}

Json to_json(const BackendRecord& backend) {
  const auto file = [](const LibraryFile& library) -> Json {
    return {{"path", library.path}, {"build_id", told(library.build_id)}};
  };
  return with_run({{"name", backend.name},
                   {"variant", or_null(backend.variant)},
                   {"library", told(backend.library)},
                   {"files", array(backend.files, file)},
                   {"build", told(backend.build)},
                   {"features", backend.features},
                   {"warnings", array(backend.warnings, same)}},
                  backend.run);
}

Json to_json(const Threshold& threshold) {
  Json json = {{"kind", threshold.kind},           {"expr", threshold.expr},         {"metric", threshold.metric},
               {"cell", threshold.cell},           {"arm", threshold.arm},           {"backend", threshold.backend},
               {"value", number(threshold.value)}, {"held", or_null(threshold.held)}};
  if (threshold.reason) json["reason"] = *threshold.reason;
  return json;
}

Json to_json(const ScenarioRecord& scenario) {
  return with_run({{"name", scenario.name}, {"file", scenario.file}, {"effective", scenario.effective}}, scenario.run);
}

Json to_json(const RunRecord& run) {
  return {{"label", run.label},
          {"complete", run.complete},
          {"tool", {{"version", run.version}}},
          {"started", told(run.started)},
          {"command", array(run.command, same)},
          {"seed", run.seed},
          {"in_process", run.in_process},
          {"quick", run.quick},
          {"machine", run.machine}};
}

// Containers inside each other: 0 for a plain value, 1 for a list of plain values.
int depth(const Json& json) {
  if (!json.is_structured()) return 0;
  int deepest = 0;
  for (const Json& element : json) deepest = std::max(deepest, depth(element));
  return deepest + 1;
}

std::string flat(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Indented down to the innermost containers. nlohmann's own indenting would give every bucket of a histogram four
// lines.
void print(const Json& json, std::size_t indent, std::string& out) {
  const int levels = depth(json);
  const bool pairs = json.is_array() && levels == 2 && json.front().is_array();
  if (levels <= 1 || pairs) {
    out += flat(json);
    return;
  }
  const std::string margin(indent + 1, ' ');
  const char* separator = json.is_object() ? "{\n" : "[\n";
  for (const auto& item : json.items()) {
    out += separator;
    out += margin;
    if (json.is_object()) out += flat(Json(item.key())) + ": ";
    print(item.value(), indent + 1, out);
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

}  // namespace

Json self_check_of(const Cell& cell) {
  Json json;
  for (const Comparison* comparison : valid_comparisons(cell))
    if (find_arm(cell, comparison->arm)->twin)
      json[comparison->metric] = {
          {"ratio", number(comparison->ratio)}, {"low", number(comparison->low)}, {"high", number(comparison->high)}};
  return json;
}

Json worst_self_check(const Result& result) {
  const auto worst = worst_resolution(result);
  if (!worst) return nullptr;
  return {{"cell", worst->cell->id},
          {"metric", worst->metric},
          {"ratio", number(worst->ratio)},
          {"low", number(worst->low)},
          {"high", number(worst->high)}};
}

Json to_json(const Result& result) {
  Json json{{"schema", 1},
            {"complete", result.complete},
            {"tool", {{"version", result.version}}},
            {"started", told(result.started)},
            {"command", array(result.command, same)},
            {"seed", result.seed},
            {"machine", result.machine},
            {"scenarios", array(result.scenarios, [](const ScenarioRecord& scenario) { return to_json(scenario); })},
            {"backends", array(result.backends, [](const BackendRecord& backend) { return to_json(backend); })},
            {"cells", array(result.cells, [](const Cell& cell) { return to_json(cell); })},
            {"self_check", worst_self_check(result)},
            {"thresholds", array(result.thresholds, [](const Threshold& threshold) { return to_json(threshold); })}};
  if (result.in_process) json["in_process"] = true;
  if (result.quick) json["quick"] = true;
  if (!result.runs.empty()) json["runs"] = array(result.runs, [](const RunRecord& run) { return to_json(run); });
  return json;
}

std::string to_json_text(const Result& result) {
  std::string text;
  print(to_json(result), 0, text);
  text += '\n';
  return text;
}

}  // namespace tlsrig::report
