// Names that stand for one thing each, and self-checks that are those of the comparisons.
#include <tlsrig/report/file/whole.hpp>

#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/file/self_checks.hpp>

namespace tlsrig::report {
namespace {

template <typename List, typename Id>
void require_unique(const List& list, const char* name, const char* what, Id id) {
  std::set<decltype(id(list.front()))> seen;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!seen.insert(id(list[i])).second) throw UnreadableResult(fmt::format("{}[{}]: the second {}", name, i, what));
}

// A run that a part names is one of those listed.
template <typename List>
void require_known_runs(const Result& result, const List& list, const char* name) {
  std::set<std::string> labels;
  for (const RunRecord& run : result.runs) labels.insert(run.label);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (labels.empty() ? !list[i].run.empty() : !labels.contains(list[i].run))
      throw UnreadableResult(fmt::format("{}[{}].run: \"{}\" is none of \"runs\"", name, i, list[i].run));
}

// Whether a document says all that another one does; it may say more.
bool covers(const Json& document, const Json& needed) {
  if (!needed.is_object() || !document.is_object()) return document == needed;
  for (const auto& item : needed.items()) {
    const auto found = document.find(item.key());
    if (found == document.end() || !covers(*found, item.value())) return false;
  }
  return true;
}

}  // namespace

void require_whole(const Result& result) {
  require_unique(result.runs, "runs", "run of that label", [](const RunRecord& run) { return run.label; });
  require_unique(result.cells, "cells", "cell of that id", [](const Cell& cell) { return cell.id; });
  require_unique(result.scenarios, "scenarios", "scenario of that name",
                 [](const ScenarioRecord& scenario) { return scenario.name; });
  require_unique(result.backends, "backends", "record of that name and variant",
                 [](const BackendRecord& backend) { return std::tuple(backend.run, backend.name, backend.variant); });
  require_known_runs(result, result.cells, "cells");
  require_known_runs(result, result.scenarios, "scenarios");
  require_known_runs(result, result.backends, "backends");
}

void require_self_checks(const Place& place, const Result& result) {
  const auto require = [](const Place& found, const Json& needed) {
    if (!covers(found.json(), needed))
      found.refuse_as("found " + found.json().dump() + ", the comparisons with the twins say " + needed.dump());
  };
  std::size_t i = 0;
  place.at("cells").list([&](const Place& cell) {
    require(cell.at("self_check"), self_check_of(result.cells[i++]));
    return true;
  });
  require(place.at("self_check"), worst_self_check(result));
}

}  // namespace tlsrig::report
