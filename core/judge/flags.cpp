// Blocks against the median of their arm.
#include <tlsrig/judge/flags.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <tlsrig/stats/median.hpp>

namespace tlsrig::judge {
namespace {

void set_flag(report::Block& block, const char* flag) {
  if (std::find(block.flags.begin(), block.flags.end(), flag) == block.flags.end()) block.flags.push_back(flag);
}

void flag_switches(report::Arm& arm) {
  std::map<std::string, std::vector<double>> switches;  // by role
  for (const auto& block : arm.blocks)
    for (const auto& [role, use] : block.roles) switches[role].push_back(static_cast<double>(use.involuntary_switches));
  for (const auto& [role, counts] : switches) {
    const double bound = 10 * std::max(1.0, stats::median(counts));
    for (auto& block : arm.blocks) {
      const auto use = block.roles.find(role);
      if (use != block.roles.end() && static_cast<double>(use->second.involuntary_switches) > bound)
        set_flag(block, "switches");
    }
  }
}

void flag_outliers(report::Arm& arm) {
  const auto rate = [](const report::Block& block) { return static_cast<double>(block.operations) / block.seconds; };
  std::vector<double> rates;
  for (const auto& block : arm.blocks) {
    if (!(block.seconds > 0)) return;  // nothing was measured: there is no rate to be off from
    rates.push_back(rate(block));
  }
  if (rates.empty()) return;
  const double median = stats::median(rates);
  const double deviation = std::max(stats::median_absolute_deviation(rates), 0.001 * median);
  for (auto& block : arm.blocks)
    if (std::abs(rate(block) - median) > 10 * deviation) set_flag(block, "outlier");
}

}  // namespace

void flag_blocks(report::Arm& arm) {
  flag_switches(arm);
  flag_outliers(arm);
}

}  // namespace tlsrig::judge
