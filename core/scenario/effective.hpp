// A scenario as it was run: what the result keeps of it.
#pragma once

#include <nlohmann/json.hpp>

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

struct EffectiveRequest {
  const Draft& draft;
  const Settings& base;
  const Overrides& overrides;
  const std::vector<Variant>& variants;
  std::string name, description, arms, baseline;
};

// Every key that applies, with the value in force and spelled as in scenario files; the keys of axes stand under
// "matrix" instead. Apart from "quick" and "filter" it says the same scenario again.
nlohmann::ordered_json effective_json(const EffectiveRequest& request);

}  // namespace tlsrig::scenario
