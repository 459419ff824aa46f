// What the command line says over a scenario file.
#pragma once

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

// -s workload=..., or what the file says; nullopt when neither is a word. Faults are told when the key is collected.
std::optional<Workload> find_workload(const Raw& document, const Overrides& overrides);

// -b, --baseline, -s and -P onto what the file said. -r, --seed and --quick come later, with the settings.
void apply_overrides(const Overrides& overrides, Collector& collector, Draft& draft, Diagnostics& diagnostics);

}  // namespace tlsrig::scenario
