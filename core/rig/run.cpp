// Cells one after the other, their blocks until they are precise enough.
#include <tlsrig/rig/run.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/judge/comparisons.hpp>
#include <tlsrig/judge/flags.hpp>
#include <tlsrig/judge/metrics.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/mix.hpp>
#include <tlsrig/rig/block.hpp>
#include <tlsrig/rig/pace.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::rig {

namespace {

workloads::CertificatePaths certificate_paths(const scenario::Settings& settings) {
  const scenario::TlsSettings& tls = settings.tls;
  if (tls.certificate.empty()) {
    const auto& files = tls.certificate_files;  // of the user's own: their names are not ours to check
    return {files.chain, files.key, files.chain, files.key, files.trust, ""};
  }
  const auto made = credentials::ensure(tls.certificate, settings.engine.trust_anchors);
  return {made.server_chain.string(), made.server_key.string(), made.client_chain.string(),
          made.client_key.string(),   made.trust.string(),      credentials::server_name};
}

report::Arm arm_record(const scenario::ArmPlan& plan, const InspectedBackend& backend) {
  report::Arm arm;
  arm.id = plan.id;
  arm.backend = plan.backend;
  if (const std::string& plugin = backend.source.plugin; !plugin.empty()) {
    arm.backend = plugin;
    arm.variant = plan.backend;
  }
  arm.settings = scenario::to_json(plan.settings);
  arm.roles = {{"client", plan.settings.client.backend}, {"server", plan.settings.server.backend}};
  if (plan.settings.relay.present) arm.roles["relay"] = plan.settings.relay.backend;
  arm.twin = plan.twin;
  arm.proof.connections_asked =
      plan.settings.workload == scenario::Workload::engine ? 0 : plan.settings.traffic.connections;
  return arm;
}

std::uint32_t connections_of(const scenario::Settings& settings) {
  return settings.workload == scenario::Workload::engine ? settings.engine.threads : settings.traffic.connections;
}

// Why two parts of an arm cannot be played in one process; empty: they can, or each has its own.
std::string clash(const std::vector<scenario::Part>& parts, const std::map<std::string, InspectedBackend>& backends,
                  bool in_process) {
  for (const auto& one : parts)
    for (const auto& other : parts)
      if (in_process || one.role == other.role)
        if (auto reason = exclude_each_other(backends.at(one.backend).source, backends.at(other.backend).source);
            !reason.empty())
          return reason;
  return {};
}

// Why a relay cannot read as it is told to with this backend; empty: it can.
std::string unreadable(const scenario::Part& part, const InspectedBackend& backend,
                       const scenario::Settings& settings) {
  const auto& extensions = backend.extensions;
  if (part.role != "relay" || settings.relay.read != scenario::RelayRead::pending || backend.plain() ||
      std::find(extensions.begin(), extensions.end(), "pending") != extensions.end())
    return {};
  return fmt::format("{} does not offer the extension \"pending\", which relay.read = \"pending\" asks", backend.name);
}

// Takes what is known beforehand into the arm: a part that cannot be played.
void judge_beforehand(const scenario::ArmPlan& plan, const std::map<std::string, InspectedBackend>& backends,
                      bool in_process, report::Arm& arm) {
  const auto parts = scenario::parts_of(plan.settings);
  if (const auto reason = clash(parts, backends, in_process); !reason.empty())
    return record_failure(ArmFailure(true, "unsupported", reason), arm);
  for (const auto& part : parts) {
    const InspectedBackend& backend = backends.at(part.backend);
    if (backend.state == InspectedBackend::State::refused)
      return record_failure(ArmFailure(false, "refused", backend.reason), arm);
    auto reason = unsupported_reason(backend, plan.settings.tls, part.transport);
    if (reason.empty()) reason = unreadable(part, backend, plan.settings);
    if (!reason.empty()) return record_failure(ArmFailure(true, "unsupported", reason), arm);
  }
}

class CellRun {
 public:
  CellRun(const scenario::ScenarioPlan& scenario, const scenario::CellPlan& plan, const RunPlan& run)
      : plan_(plan), run_(run), settings_(plan.arms.front().settings) {
    cell_.id = plan.id;
    cell_.scenario = scenario.name;
    cell_.workload = scenario.effective.value("workload", "");
    cell_.params = plan.parameters;
    cell_.baseline = plan.baseline;
    for (const auto& arm : plan.arms) cell_.arms.push_back(arm_record(arm, run.backends.at(arm.backend)));
  }

  // False: the time limit was reached before the fewest blocks.
  bool run(std::uint64_t seed, TimeBudget& budget, Interruption& interruption, Observer& observer) {
    prepare();
    const unsigned blocks_min = settings_.measure.blocks_min, blocks_max = settings_.measure.blocks_max;
    for (unsigned block = 0; block < blocks_max && any_in_race(); ++block) {
      const std::int64_t begun_ns = measure::now_ns();
      if (block >= blocks_min && (budget.share_used_up(begun_ns) || judge::precise_enough(cell_, settings_))) break;
      if (block < blocks_min && budget.used_up(begun_ns)) {
        mark_incomplete([&](const report::Arm& arm) {
          return fmt::format("the time limit of {} was reached after {} of at least {} blocks", run_.limit->text,
                             arm.blocks.size(), blocks_min);
        });
        return false;
      }
      run_block(contenders_, derive_seed(seed, block, 1), interruption);
      budget.block_took(static_cast<double>(measure::now_ns() - begun_ns) / 1e9);
      observer.block_done(block + 1);
    }
    judge_all();
    return true;
  }

  // Says of the arms that were in the race that the run ended before they were through.
  void mark_interrupted() {
    mark_incomplete(
        [](const report::Arm& arm) { return fmt::format("interrupted after {} whole blocks", arm.blocks.size()); });
  }

  void mark_not_begun() {
    mark_incomplete([](const report::Arm&) { return std::string("interrupted before this cell began"); });
  }

  // The record of the cell, however it ended.
  report::Cell take() {
    for (auto& arm : cell_.arms) judge::flag_blocks(arm);
    return std::move(cell_);
  }

 private:
  void judge_all() {
    for (std::size_t i = 0; i < cell_.arms.size(); ++i) {
      report::Arm& arm = cell_.arms[i];
      if (arm.status != report::Status::incomplete) continue;
      arm.status = report::Status::ok;
      arm.metrics = judge::metrics_of(arm, plan_.arms[i].settings);
    }
    judge::compare_arms(cell_, settings_);
  }

  template <class Reason>
  void mark_incomplete(const Reason& reason) {
    for (auto& arm : cell_.arms)
      if (arm.status == report::Status::incomplete) arm.reason = reason(arm);
  }

  void prepare() {
    for (std::size_t i = 0; i < plan_.arms.size(); ++i) {
      const scenario::ArmPlan& arm = plan_.arms[i];
      judge_beforehand(arm, run_.backends, run_.in_process != nullptr, cell_.arms[i]);
      if (cell_.arms[i].status != report::Status::incomplete) continue;
      contenders_.push_back({life_plan(arm), demands(arm), &cell_.arms[i]});
    }
  }

  LifePlan life_plan(const scenario::ArmPlan& arm) const {
    LifePlan life;
    life.arm = &arm;
    for (const auto& part : scenario::parts_of(arm.settings))
      life.plugins[part.backend] = run_.backends.at(part.backend).source;
    life.certificates = certificate_paths(arm.settings);
    life.in_process = run_.in_process;
    return life;
  }

  std::vector<Demand> demands(const scenario::ArmPlan& arm) const {
    std::vector<Demand> demands;
    for (const auto& leg : scenario::legs_of(arm.settings)) {
      Demand demand{leg.name, leg.client.name, leg.server.name, arm.settings.tls, connections_of(arm.settings)};
      demand.resumed = scenario::resumes(arm.settings);
      for (const scenario::Part* part : {&leg.client, &leg.server}) {
        const InspectedBackend& backend = run_.backends.at(part->backend);
        demand.plain = demand.plain || backend.plain();
        const auto& ciphers = backend.ciphers;
        if (std::find(ciphers.begin(), ciphers.end(), arm.settings.tls.cipher) == ciphers.end())
          demand.chooses_tls13_cipher = false;
      }
      demands.push_back(std::move(demand));
    }
    return demands;
  }

  bool any_in_race() const {
    return std::any_of(contenders_.begin(), contenders_.end(), [](const auto& one) { return one.in_race(); });
  }

  const scenario::CellPlan& plan_;
  const RunPlan& run_;
  const scenario::Settings& settings_;
  report::Cell cell_;
  std::vector<Contender> contenders_;
};

}  // namespace

std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t first, std::uint64_t second) {
  return measure::mix(measure::mix(measure::mix(seed) ^ first) ^ second);
}

int run(const RunPlan& plan, report::Result& result, Interruption& interruption, Observer& observer) {
  std::size_t count = 0, number = 0;
  for (const auto& scenario : plan.scenarios) count += scenario.cells.size();
  TimeBudget budget(estimates(plan.scenarios), plan.limit ? std::optional(plan.limit->deadline_ns) : std::nullopt);
  bool all_finished = true;
  int signal = 0;
  for (const auto& scenario : plan.scenarios) {
    for (const auto& cell_plan : scenario.cells) {
      CellRun cell(scenario, cell_plan, plan);
      if (signal) {  // what was asked for stays visible
        cell.mark_not_begun();
        result.cells.push_back(cell.take());
        continue;
      }
      observer.cell_begins(cell_plan.id, ++number, count);
      budget.begin_cell(number - 1, measure::now_ns());
      try {
        all_finished = cell.run(derive_seed(plan.seed, number, 0), budget, interruption, observer) && all_finished;
      } catch (const Interrupted& interrupted) {
        cell.mark_interrupted();
        signal = interrupted.signal;
      }
      result.cells.push_back(cell.take());
      result.complete = !signal && number == count && all_finished;
      observer.cell_done(result.cells.back(), result);
    }
  }
  return signal;
}

}  // namespace tlsrig::rig
