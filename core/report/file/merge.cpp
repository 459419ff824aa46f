// Putting results together: labels first, then every name that could stand for two things.
#include <tlsrig/report/file/merge.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report {
namespace {

namespace fs = std::filesystem;

// "before" for before.json, "20260131T120000Z-echo" for results/20260131T120000Z-echo/result.json.
std::string short_label(const std::string& file) {
  if (file == "-") return "stdin";
  const fs::path path(file);
  if (path.filename() != "result.json") return path.stem().string();
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const std::string directory = whole.parent_path().filename().string();
  return directory.empty() ? path.stem().string() : directory;
}

std::vector<std::string> labels_of(const std::vector<NamedResult>& results) {
  std::map<std::string, int> uses;
  for (const auto& each : results) ++uses[short_label(each.file)];
  std::vector<std::string> labels;
  std::set<std::string> taken;
  for (const auto& each : results) {
    const std::string brief = short_label(each.file);
    const std::string label = one_line(uses[brief] > 1 ? each.file : brief);
    std::string free = label;
    for (int number = 2; !taken.insert(free).second; ++number) free = fmt::format("{} ({})", label, number);
    labels.push_back(std::move(free));
  }
  return labels;
}

RunRecord head_of(const Result& result) {
  return {"",          result.complete,   result.version, result.started, result.command,
          result.seed, result.in_process, result.quick,   result.machine};
}

// The load and the processes counted with it are never the same for two runs.
bool same_run(const RunRecord& a, const RunRecord& b) {
  return a.seed == b.seed && a.started == b.started && a.command == b.command && a.machine == b.machine &&
         a.version == b.version;
}

// Of what runs on one machine and one after the other tell differently.
bool is_measured(std::string_view fact) { return fact == "load" || fact == "copy_alias"; }

// Facts in which machines differ.
std::vector<std::string> differences(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  const auto look_up = [](const Json& machine, const std::string& fact) {
    return machine.is_object() && machine.contains(fact) ? machine[fact] : Json();
  };
  for (const RunRecord& run : runs) {
    if (!run.machine.is_object()) continue;
    for (const auto& item : run.machine.items()) {
      const bool known = std::find(names.begin(), names.end(), item.key()) != names.end();
      if (known || is_measured(item.key())) continue;
      if (std::any_of(runs.begin(), runs.end(),
                      [&](const RunRecord& other) { return look_up(other.machine, item.key()) != item.value(); }))
        names.push_back(item.key());
    }
  }
  return names;
}

// What two objects say alike.
Json in_common(const Json& a, const Json& b) {
  if (!a.is_object() || !b.is_object()) return nullptr;
  Json common = Json::object();
  for (const auto& item : a.items()) {
    const auto other = b.find(item.key());
    if (other == b.end()) continue;
    if (item.value() == *other)
      common[item.key()] = *other;
    else if (Json both = in_common(item.value(), *other); !both.empty())
      common[item.key()] = std::move(both);
  }
  return common;
}

// One run of one of the files, not yet put into the whole.
struct Part {
  RunRecord run;
  std::string in_file;  // what its cells and the others of its file say of their run; empty in a file of one run
  const Result* file;
};

std::vector<Part> parts_of(const std::vector<NamedResult>& results) {
  const auto labels = labels_of(results);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i].result;
    if (result.runs.empty()) {
      parts.push_back({head_of(result), "", &result});
      parts.back().run.label = labels[i];
    }
    for (const RunRecord& run : result.runs) {
      parts.push_back({run, run.label, &result});
      parts.back().run.label = labels[i] + "/" + run.label;
    }
  }
  return parts;
}

void require_different(const std::vector<Part>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size(); ++j)
      if (same_run(parts[i].run, parts[j].run))
        throw SameRun(fmt::format("{} and {} are the same run (seed {}): a run counts once; name it once",
                                  parts[i].run.label, parts[j].run.label, parts[i].run.seed));
}

// Without what an earlier merging has put behind it.
std::string own_name(const std::string& scenario, const Part& part) {
  const std::string mark = "@" + part.in_file;
  if (part.in_file.empty() || !scenario.ends_with(mark)) return scenario;
  return scenario.substr(0, scenario.size() - mark.size());
}

bool names_clash(const std::vector<Part>& parts) {
  std::map<std::string, std::string> owner;
  for (const Part& part : parts)
    for (const ScenarioRecord& scenario : part.file->scenarios)
      if (scenario.run == part.in_file &&
          owner.emplace(own_name(scenario.name, part), part.run.label).first->second != part.run.label)
        return true;
  return false;
}

void add(const Part& part, bool marked, Result& whole) {
  const std::string& label = part.run.label;
  const auto renamed = [&](const std::string& scenario) {
    return own_name(scenario, part) + (marked ? "@" + label : "");
  };
  for (ScenarioRecord scenario : part.file->scenarios) {
    if (scenario.run != part.in_file) continue;
    scenario.name = renamed(scenario.name);
    scenario.run = label;
    whole.scenarios.push_back(std::move(scenario));
  }
  for (BackendRecord backend : part.file->backends) {
    if (backend.run != part.in_file) continue;
    backend.run = label;
    whole.backends.push_back(std::move(backend));
  }
  std::map<std::string, std::string> ids;
  for (Cell cell : part.file->cells) {
    if (cell.run != part.in_file) continue;
    const std::string old = cell.id;
    const std::string scenario = renamed(cell.scenario);
    const bool begins = cell.id.starts_with(cell.scenario);
    cell.id = begins ? scenario + cell.id.substr(cell.scenario.size()) : cell.id + (marked ? "@" + label : "");
    cell.scenario = scenario;
    cell.run = label;
    for (Arm& arm : cell.arms) arm.run = label;
    ids[old] = cell.id;
    whole.cells.push_back(std::move(cell));
  }
  for (Threshold threshold : part.file->thresholds) {
    const auto cell = ids.find(threshold.cell);
    if (cell == ids.end() && !part.in_file.empty()) continue;  // another run's
    threshold.cell = cell == ids.end() ? threshold.cell + (marked ? "@" + label : "") : cell->second;
    whole.thresholds.push_back(std::move(threshold));
  }
}

}  // namespace

Result merge(std::vector<NamedResult> results) {
  if (results.size() == 1) return std::move(results.front().result);
  const std::vector<Part> parts = parts_of(results);
  require_different(parts);
  Result whole;
  for (const Part& part : parts) whole.runs.push_back(part.run);
  const bool marked = names_clash(parts) || !differences(whole.runs).empty();
  whole.complete = true;
  std::set<std::string> versions;
  for (const Part& part : parts) {
    const RunRecord& run = part.run;
    whole.complete = whole.complete && run.complete;
    whole.quick = whole.quick || run.quick;
    whole.in_process = whole.in_process || run.in_process;
    whole.machine = &part == &parts.front() ? run.machine : in_common(whole.machine, run.machine);
    if (versions.insert(run.version).second) whole.version += (whole.version.empty() ? "" : ", ") + run.version;
    add(part, marked, whole);
  }
  return whole;
}

std::string runs_sentence(const Result& result) {
  if (result.runs.empty()) return "";
  std::string labels;
  for (std::size_t i = 0; i < result.runs.size(); ++i)
    labels += (i == 0 ? "" : i + 1 == result.runs.size() ? " and " : ", ") + result.runs[i].label;
  std::string sentence = fmt::format(
      "{} runs, {}, stand side by side. Nothing is compared between them: a machine drifts by more than most builds "
      "differ. To compare two builds, put both into one run with --variant.",
      result.runs.size(), labels);
  std::string facts;
  for (const std::string& fact : differences(result.runs)) facts += (facts.empty() ? "" : ", ") + with_spaces(fact);
  if (!facts.empty()) sentence += fmt::format(" Their machines differ: {}.", facts);
  return sentence;
}

}  // namespace tlsrig::report
