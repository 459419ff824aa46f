// [thresholds]: what a scenario demands of its arms. Read without a look at the arms, then laid on them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

struct ParsedExpression {
  std::optional<Expression> expression;
  std::string fault;  // what was found and what is needed, when there is no expression
};

ParsedExpression parse_expression(ThresholdKind kind, std::string_view text);

// Names of the metrics that a threshold of this kind may be about.
std::vector<std::string> threshold_metrics(ThresholdKind kind, Workload workload);

// Lays every threshold of the draft on the arms that it is about. A threshold of the file about a backend or value that
// -b or -P leave out is not there; one about nothing else that is in the plan is a fault.
std::vector<ThresholdPlan> plan_thresholds(const Draft& draft, const std::vector<CellPlan>& cells,
                                           const std::string& arms, const Overrides& overrides,
                                           Diagnostics& diagnostics);

// Drops what is about cells that are not there: --filter has left them out.
void keep_cells(std::vector<ThresholdPlan>& thresholds, const std::vector<CellPlan>& cells);

// As the file writes them, by kind.
nlohmann::ordered_json thresholds_json(const Draft& draft);

}  // namespace tlsrig::scenario
