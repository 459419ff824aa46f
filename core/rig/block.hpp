// A block of a cell: one life of every arm that is still in the race, alternating in slices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/arm_life.hpp>
#include <tlsrig/rig/prove.hpp>

namespace tlsrig::rig {

// An arm over the blocks of its cell.
struct Contender {
  LifePlan life;
  std::vector<Demand> demands;  // of each leg
  report::Arm* arm = nullptr;   // what has been found so far; its status is incomplete as long as it is in the race
  bool in_race() const { return arm->status == report::Status::incomplete; }
};

// Takes the failure into the arm's record: it is out of the race.
void record_failure(const ArmFailure& failure, report::Arm& arm);

// Runs one block. An arm that fails is out of the race, the others go on. `seed` decides the order of the arms and
// where buffers lie. Throws Interrupted; then the block is lost, earlier ones stay.
void run_block(std::vector<Contender>& contenders, std::uint64_t seed, Interruption& interruption);

}  // namespace tlsrig::rig
