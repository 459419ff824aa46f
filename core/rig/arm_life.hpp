// One life of an arm: fresh workers, one per role, from start to orderly end. A block is one life of every arm.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/interruption.hpp>
#include <tlsrig/rig/worker_process.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::rig {

// Where a backend's code comes from.
struct PluginSource {
  std::string path;
  std::string library_directory;  // of a variant; empty otherwise
};

// What an arm's workers are made from.
struct LifePlan {
  const scenario::ArmPlan* arm = nullptr;
  std::map<std::string, PluginSource> plugins;  // by backend name: those that the arm's roles play
  workloads::CertificatePaths certificates;
  std::uint64_t placement_seed = 0;
};

// The arm cannot go on: unsupported, or failed with an error kind.
struct ArmFailure : std::runtime_error {
  ArmFailure(bool unsupported_, std::string kind_, const std::string& reason)
      : std::runtime_error(reason), unsupported(unsupported_), kind(std::move(kind_)) {}
  bool unsupported;
  std::string kind;
};

class ArmLife {
 public:
  ArmLife(const LifePlan& plan, Interruption& interruption);

  // Starts the workers, connects, handshakes, warms up with every payload byte verified. Throws ArmFailure,
  // Interrupted.
  void start();

  // Runs the traffic for slice_ns and adds to the block. Throws ArmFailure, Interrupted.
  void slice(std::int64_t slice_ns);

  // Drains, compares both ends' totals, closes in order, ends the workers. Throws ArmFailure, Interrupted.
  void finish();

  double measured_seconds() const { return block_.seconds; }
  report::Block take_block();

  // How long workers were still asleep when their slices had begun, summed: part of the measured time.
  double late_seconds() const { return late_seconds_; }

  // Each role's proof of the handshakes, as workloads tell it.
  const std::map<std::string, Json>& proofs() const { return proofs_; }
  std::uint64_t bytes_verified() const { return bytes_verified_; }

  // Socket options in force, by role; empty where there are no sockets.
  const Json& sockets() const { return sockets_; }

 private:
  void load(WorkerProcess& worker);
  void assign(WorkerProcess& worker);
  void serve_and_warm_up();
  void compare_totals(const std::map<std::string, Json>& totals) const;
  std::map<std::string, Json> step(const std::vector<WorkerProcess*>& workers, std::size_t required, double seconds);
  std::map<std::string, Json> step_all(const Json& request, double seconds);
  WorkerProcess* find(const std::string& role);

  const LifePlan& plan_;
  Interruption& interruption_;
  std::vector<WorkerProcess> workers_;
  std::map<std::string, Json> proofs_;
  Json sockets_ = Json::object();
  std::uint64_t bytes_verified_ = 0;
  double late_seconds_ = 0;
  report::Block block_;
};

// The name of the backend that plays a role of an arm.
const std::string& backend_of(const scenario::Settings& settings, const std::string& role);

}  // namespace tlsrig::rig
