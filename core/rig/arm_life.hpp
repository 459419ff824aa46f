// One life of an arm: fresh workers, one per role, from start to orderly end. A block is one life of every arm.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/rig/interruption.hpp>
#include <tlsrig/rig/loaded_backends.hpp>
#include <tlsrig/rig/plugin_source.hpp>
#include <tlsrig/rig/worker_handle.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::rig {

// What an arm's workers are made from.
struct LifePlan {
  const scenario::ArmPlan* arm = nullptr;
  std::map<std::string, PluginSource> plugins;  // by backend name: those that the arm's roles play
  workloads::CertificatePaths certificates;
  std::uint64_t placement_seed = 0;
  std::map<std::string, std::vector<unsigned>> processors;  // by role; none: the system's choice
  LoadedBackends* in_process = nullptr;  // workers are threads that take their backends from here; nullptr: processes
};

// The arm cannot go on: unsupported, or failed with an error kind.
struct ArmFailure : std::runtime_error {
  ArmFailure(bool unsupported_, std::string kind_, const std::string& reason)
      : std::runtime_error(reason), unsupported(unsupported_), kind(std::move(kind_)) {}
  bool unsupported;
  std::string kind;
};

// Between warm-up and measuring, in nanoseconds: how long traffic runs unmeasured until as much is under way as will be
// later on.
std::int64_t fill_ns(const scenario::Settings& settings);

class ArmLife {
 public:
  ArmLife(const LifePlan& plan, Interruption& interruption);

  // Starts the workers, connects, handshakes, warms up with every payload byte verified, fills what lies between a
  // source and its sink. Throws ArmFailure, Interrupted.
  void start();

  // Runs the traffic for slice_ns and adds to the block. Throws ArmFailure, Interrupted.
  void slice(std::int64_t slice_ns);

  // Drains, compares both ends' totals, closes in order, ends the workers. Throws ArmFailure, Interrupted.
  void finish();

  double measured_seconds() const { return block_.seconds; }
  report::Block take_block();

  // How long workers were still asleep when their slices had begun, summed: part of the measured time.
  double late_seconds() const { return late_seconds_; }

  // Each part's proof of the handshakes, as workloads tell it.
  const std::map<std::string, Json>& proofs() const { return proofs_; }
  std::uint64_t bytes_verified() const { return bytes_verified_; }

  // Socket options in force, by role; empty where there are no sockets.
  const Json& sockets() const { return sockets_; }

  // What each part put on the wire, {"client": {...}, "server": {...}}, as workloads/role_counts.hpp tells it. After
  // finish.
  const Json& counts() const { return counts_; }

  // Session tickets that the client has read on the connections of the proofs; nothing when its library does not tell.
  // After finish.
  std::optional<std::uint64_t> tickets() const { return tickets_; }

 private:
  void start_worker(const std::string& role);
  std::vector<std::string> backends_of(const std::string& role) const;
  std::vector<PluginSource> sources_of(const std::string& role) const;
  void assign(WorkerHandle& worker);
  Json processors_for(const std::string& role) const;
  bool shares_processors(const std::string& role) const;
  void connect();
  void warm_up();
  std::map<std::string, Json> run_slice(std::int64_t slice_ns, bool measured);
  void compare_totals(const std::map<std::string, Json>& totals) const;
  std::map<std::string, Json> step(const std::vector<WorkerHandle*>& workers, std::size_t required, double seconds);
  std::map<std::string, Json> step_all(const Json& request, double seconds);
  WorkerHandle& worker(const std::string& role);

  const LifePlan& plan_;
  Interruption& interruption_;
  std::vector<std::unique_ptr<WorkerHandle>> workers_;
  std::map<std::string, Json> proofs_;
  Json sockets_ = Json::object(), counts_ = Json::object();
  std::optional<std::uint64_t> tickets_;
  std::uint64_t bytes_verified_ = 0;
  double late_seconds_ = 0;
  report::Block block_;
};

}  // namespace tlsrig::rig
