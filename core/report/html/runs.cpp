// Builds, machines, commands and scenarios.
#include <algorithm>
#include <iterator>
#include <string_view>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/html/scenario_text.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/machine.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

std::string fact_words(const Json& value) {
  if (value.is_null()) return "not told";
  if (!value.is_array()) return json_words(value);
  std::vector<std::string> words;
  for (const Json& element : value) words.push_back(fact_words(element));
  return joined(words, " ");
}

// What machine_words tells in one line.
bool is_told(const std::string& prefix, const std::string& key) {
  constexpr std::string_view told[] = {"processor", "processors", "memory", "kernel", "load"};
  return prefix.empty() && std::find(std::begin(told), std::end(told), key) != std::end(told);
}

// Whatever else the rig recorded of the machine; tables within it as rows of their own.
void collect_facts(const Json& machine, const std::string& prefix, List& facts) {
  for (const auto& item : machine.items()) {
    if (is_told(prefix, item.key())) continue;
    const std::string name = prefix + with_spaces(item.key());
    if (item.value().is_object()) {
      collect_facts(item.value(), name + ", ", facts);
    } else {
      facts.push_back(std::move(Fields().text("fact", name).text("value", fact_words(item.value()))));
    }
  }
}

struct Run {
  std::string label, version, started;
  const std::vector<std::string>* command;
  std::uint64_t seed;
  bool complete, quick, in_process;
  const Json* machine;
};

std::vector<Run> runs_of(const Result& result) {
  std::vector<Run> runs;
  for (const RunRecord& run : result.runs)
    runs.push_back({run.label, run.version, run.started, &run.command, run.seed, run.complete, run.quick,
                    run.in_process, &run.machine});
  if (runs.empty())
    runs.push_back({"", result.version, result.started, &result.command, result.seed, result.complete, result.quick,
                    result.in_process, &result.machine});
  return runs;
}

Fields fields_of(const Run& run) {
  std::vector<std::string> state;
  state.push_back(run.complete ? "complete" : "INCOMPLETE");
  if (run.quick) state.push_back("quick");
  if (run.in_process) state.push_back("in process");
  List facts;
  if (const std::string words = machine_words(*run.machine, false); !words.empty())
    facts.push_back(std::move(Fields().text("fact", "machine").text("value", words)));
  if (run.machine->is_object()) collect_facts(*run.machine, "", facts);
  Fields fields;
  fields.text("label", run.label).text("run_version", run.version).text("run_started", run.started);
  fields.text("command", command_text(*run.command)).text("seed", std::to_string(run.seed));
  fields.text("state", joined(state, ", "));
  return std::move(fields.list("facts", facts));
}

Fields fields_of(const BackendRecord& backend) {
  List files, warnings;
  for (const LibraryFile& file : backend.files) {
    Fields fields;
    fields.text("path", file.path).text("build_id", file.build_id.empty() ? "none" : file.build_id);
    files.push_back(std::move(fields));
  }
  for (const std::string& warning : backend.warnings) warnings.push_back(std::move(Fields().text("warning", warning)));
  Fields fields;
  fields.text("name", name_of(backend)).text("run", backend.run);
  fields.text("plugin", backend.variant ? "plugin " + backend.name : "");
  fields.text("library", backend.library.empty() ? "version not told" : backend.library);
  fields.text("build", backend.build);
  return std::move(fields.list("files", files).list("build_warnings", warnings));
}

}  // namespace

void add_runs(Fields& page, const Result& result) {
  List runs, backends, scenarios;
  for (const Run& run : runs_of(result)) runs.push_back(fields_of(run));
  for (const BackendRecord& backend : result.backends) backends.push_back(fields_of(backend));
  for (const ScenarioRecord& scenario : result.scenarios) {
    Fields fields;
    fields.text("scenario", scenario.name).text("file", scenario.file).text("run", scenario.run);
    scenarios.push_back(std::move(fields.lines("effective", scenario_text(scenario.effective))));
  }
  page.list("runs", runs).list("backends", backends).list("scenarios", scenarios);
  page.text("side_by_side", runs_sentence(result));
}

}  // namespace tlsrig::report::html
