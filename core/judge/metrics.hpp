// From an arm's blocks to its metrics.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/scenario/settings.hpp>

namespace tlsrig::judge {

// One value per block of the metric called `name` ("throughput", "payload_bytes_per_second", "cpu_ROLE",
// "service_time_p99"): what paired comparisons are made of. None of a percentile when a block alone has too few samples
// for it.
std::vector<double> block_values(const report::Arm& arm, const std::string& name, const scenario::Settings& settings);

// Every metric that the arm's blocks give, each with its description; sides in the order of the path.
std::vector<report::Metric> metrics_of(const report::Arm& arm, const scenario::Settings& settings);

}  // namespace tlsrig::judge
