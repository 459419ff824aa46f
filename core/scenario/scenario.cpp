// Reading one scenario file: from the text to the plan, with all faults in one go.
#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/checks.hpp>
#include <tlsrig/scenario/effective.hpp>
#include <tlsrig/scenario/filter.hpp>
#include <tlsrig/scenario/layout.hpp>
#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/overrides.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/thresholds.hpp>
#include <tlsrig/scenario/variants.hpp>

namespace tlsrig::scenario {
namespace {

// Of another schema no other key can be judged.
bool check_schema(const Raw& document, Diagnostics& diagnostics) {
  const Member* schema = document.find("schema");
  if (schema == nullptr) {
    diagnostics.add({}, "schema", "missing; the first line of a scenario file is: schema = 1");
    return true;
  }
  if (schema->value.kind == Raw::Kind::integer && schema->value.integer != 1) {
    diagnostics.add(schema->value.place, "schema",
                    fmt::format("found {}; this version of tlsrig reads schema 1", schema->value.text));
    return false;
  }
  return true;
}

std::string name_of(const std::filesystem::path& file, const Draft& draft, const KnownBackends& known,
                    Diagnostics& diagnostics) {
  if (draft.keys.contains("name") || draft.faulty.contains("name")) {
    return draft.text_of("name");
  }
  Raw stem;
  stem.text = file.stem().string();
  Parsed parsed = parse_value(*find_key("name"), stem, &known);
  if (!parsed.value) {
    diagnostics.add({}, "name", "not given, and the file's own name will not do: " + parsed.fault);
  }
  return stem.text;
}

// roles.client and roles.client.backend are the same axis when the values are names.
bool is_short_for(const Axis& axis, std::string_view path) {
  const auto taken = keys_of(axis);
  return long_form(axis.path) == long_form(path) && taken.size() == 1 && taken.front() == long_form(path);
}

// What is compared; empty after a diagnostic.
std::string arms_of(const Draft& draft, Diagnostics& diagnostics) {
  if (!draft.keys.contains("arms")) {
    return draft.faulty.contains("arms") ? "" : "backends";
  }
  const std::string arms = draft.text_of("arms");
  if (arms == "backends") {
    return arms;
  }
  const auto same = [&](const Axis& axis) { return axis.path == arms || is_short_for(axis, arms); };
  if (const auto at = std::find_if(draft.axes.begin(), draft.axes.end(), same); at != draft.axes.end()) {
    return at->path;
  }
  if (draft.axes_faulty) {
    return {};  // perhaps it is one of those
  }
  std::vector<std::string> allowed{"backends"};
  for (const Axis& axis : draft.axes) {
    allowed.push_back(axis.path);
  }
  std::string cure = did_you_mean(arms, allowed);
  if (const Key* key = find_key(long_form(arms)); key != nullptr && key->axis) {
    cure = fmt::format("; to compare its values write under [matrix]: \"{}\" = [...]", arms);
  } else if (cure.empty()) {
    cure = fmt::format("; {}", unknown_path_text(arms));
  }
  diagnostics.add(draft.place_of("arms"), "arms",
                  fmt::format("found \"{}\"; allowed: \"backends\" or a key of [matrix], here: {}{}", arms,
                              quoted_list(allowed), cure));
  return {};
}

// The arms that a cell can have at most.
std::vector<std::string> compared_values(const Draft& draft, const std::string& arms) {
  std::vector<std::string> out;
  for (const Axis& axis : draft.axes) {
    for (const AxisValue& value : axis.values) {
      if (axis.path == arms) {
        out.push_back(value.text);
      }
    }
  }
  return arms == "backends" ? draft.backends : out;
}

// Empty after a diagnostic.
std::string baseline_of(const Draft& draft, const std::string& arms, const Overrides& overrides,
                        Diagnostics& diagnostics) {
  const auto values = compared_values(draft, arms);
  if (!draft.keys.contains("baseline")) {
    return values.front();
  }
  const std::string baseline = draft.text_of("baseline");
  if (std::find(values.begin(), values.end(), baseline) != values.end()) {
    return baseline;
  }
  const Place place = draft.place_of("baseline");
  const auto replaced = [&](const auto& axis) { return axis.first == arms; };
  const bool narrowed = arms == "backends" ? !overrides.backends.empty()
                                           : std::any_of(overrides.matrix.begin(), overrides.matrix.end(), replaced);
  if (narrowed && place.flag.empty()) {
    return values.front();  // the flag chose other values than the file had in mind
  }
  diagnostics.add(place, "baseline",
                  fmt::format("found \"{}\"; allowed is what is compared: {}{}", baseline, quoted_list(values),
                              did_you_mean(baseline, values)));
  return {};
}

bool cells_can_be_told(const Draft& draft, const std::string& arms) {
  return draft.workload && !draft.axes_faulty && !draft.faulty.contains("backends") && !draft.backends.empty() &&
         !arms.empty();
}

}  // namespace

Outcome read_scenario(const std::filesystem::path& file, const Overrides& overrides, const KnownBackends& installed) {
  Diagnostics diagnostics(file);
  const auto document = read_document(file, diagnostics);
  if (!document || !check_schema(*document, diagnostics)) {
    return {{}, diagnostics.take()};
  }
  Draft draft;
  draft.workload = find_workload(*document, overrides);
  KnownBackends known = installed;
  std::vector<Variant> variants = collect_variants(*document, file, overrides, known, diagnostics);
  Collector collector(file, known, draft, diagnostics);
  collector.take_document(*document);
  apply_overrides(overrides, collector, draft, diagnostics);
  join_backends(variants, overrides, draft);

  const Settings base = base_settings(draft, overrides);
  const std::string name = name_of(file, draft, known, diagnostics);
  check_file(draft, base, overrides, diagnostics);
  const std::string arms = arms_of(draft, diagnostics);
  if (!cells_can_be_told(draft, arms)) {
    return {{}, diagnostics.take()};
  }
  const std::string baseline = baseline_of(draft, arms, overrides, diagnostics);
  auto cells = lay_out({draft, base, name, arms, baseline}, diagnostics);
  std::vector<ThresholdPlan> thresholds;
  if (diagnostics.empty()) {
    thresholds = plan_thresholds(draft, cells, arms, overrides, diagnostics);
  }
  if (diagnostics.empty() && overrides.filter) {
    cells = filter_cells(std::move(cells), *overrides.filter, diagnostics);
    keep_cells(thresholds, cells);
  }
  if (!diagnostics.empty()) {
    return {{}, diagnostics.take()};
  }
  const std::string description = draft.text_of("description");
  auto effective = effective_json({draft, base, overrides, variants, name, description, arms, baseline});
  return {ScenarioPlan{name, description, file, base.workload, std::move(effective), draft.backends,
                       std::move(variants), std::move(cells), std::move(thresholds)},
          {}};
}

}  // namespace tlsrig::scenario
