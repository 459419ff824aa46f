// A run: every cell of every scenario, block by block, its arms alternating in slices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/inspection.hpp>
#include <tlsrig/rig/interruption.hpp>
#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::rig {

// When a run has to be over. The block in flight is finished.
struct TimeLimit {
  std::int64_t deadline_ns = 0;  // of measure::now_ns()
  std::string text;              // as it was asked for: "10min"
};

struct RunPlan {
  std::vector<scenario::ScenarioPlan> scenarios;
  std::map<std::string, InspectedBackend> backends;  // every backend that an arm names
  std::uint64_t seed = 0;                            // not 0
  LoadedBackends* in_process = nullptr;  // roles run as threads of this process and take their backends here
  std::optional<TimeLimit> limit;
};

// What a run tells while it goes on. Called on the run's thread, between slices.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void cell_begins(const std::string& cell, std::size_t number, std::size_t count) = 0;
  virtual void block_done(unsigned blocks) = 0;

  // The result so far, this cell included: time to save it. What it throws ends the run.
  virtual void cell_done(const report::Cell& cell, const report::Result& result) = 0;
};

// Runs the plan and fills the result's cells, whose head (version, command, machine) the caller has filled. Gives 0, or
// the signal that ended the run early: arms of the cell in flight and of those behind it are incomplete. A
// time limit that is reached leaves every cell without its fewest blocks incomplete, those not reached too.
int run(const RunPlan& plan, report::Result& result, Interruption& interruption, Observer& observer);

// A number of this seed for a purpose: the same on every machine.
std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t first, std::uint64_t second);

}  // namespace tlsrig::rig
