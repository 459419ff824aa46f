// Arms of a block, slice by slice in shuffled rounds, and what they come to.
#include <tlsrig/rig/block.hpp>

#include <algorithm>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include <tlsrig/measure/processors.hpp>
#include <tlsrig/rig/processors.hpp>
#include <tlsrig/rig/shuffle.hpp>

namespace tlsrig::rig {

namespace {

// Ticks of all processors since boot: those stolen by the hypervisor, and all.
struct ProcessorTicks {
  double stolen = 0, all = 0;
};

ProcessorTicks read_ticks() {
  std::ifstream stat("/proc/stat");
  std::string line;
  std::getline(stat, line);
  std::istringstream fields(line);
  std::string name;
  fields >> name;
  ProcessorTicks ticks;
  double value = 0;
  for (int field = 0; field < 8 && fields >> value; ++field) {
    ticks.all += value;
    if (field == 7) ticks.stolen = value;
  }
  return ticks;
}

// One arm in a block.
struct Racer {
  Contender* contender;
  std::unique_ptr<ArmLife> life;
  unsigned order = 0;  // place in the first round
};

// Now, not when the list is tidied: what is left of the life must not run in the others' slices.
void drop(Racer& racer, const ArmFailure& failure) {
  racer.life.reset();
  record_failure(failure, *racer.contender->arm);
}

// Runs a step for every racer; those that fail are out.
template <class Function>
void each(std::vector<Racer>& racers, Function&& function) {
  std::erase_if(racers, [&](Racer& racer) {
    try {
      function(racer);
      return false;
    } catch (const ArmFailure& failure) {
      drop(racer, failure);
      return true;
    } catch (const Json::exception& error) {  // a backend that writes to the worker's control socket
      drop(racer, {false, "other", fmt::format("a worker's answer is not of this protocol: {}", error.what())});
      return true;
    }
  });
}

void start(Racer& racer) {
  racer.life->start();
  if (racer.life->bytes_verified() == 0)
    throw ArmFailure(false, "short_count", "no payload byte was verified in the warm-up: lengthen measure.warmup");
  prove_life(racer.life->proofs(), racer.contender->demands, racer.contender->arm->proof);
  racer.contender->arm->proof.bytes_verified += racer.life->bytes_verified();
  // What the kernel made of the options asked for: it doubles buffer sizes, and a congestion control may be missing.
  if (!racer.life->sockets().empty()) racer.contender->arm->settings["socket"]["in_force"] = racer.life->sockets();
}

// Slices in rounds until every arm has measured for the block's time. An arm whose slices come out longer than asked
// (a slow operation is never cut) sits rounds out, so that all arms are spread over the same stretch of time.
void alternate(std::vector<Racer>& racers, std::mt19937_64& random) {
  if (racers.empty()) return;
  const scenario::Settings& settings = racers.front().contender->life.arm->settings;
  const std::int64_t slice_ns =
      settings.measure.slice_ns ? settings.measure.slice_ns : workloads::automatic_slice_ns(settings.workload);
  const double block_seconds = static_cast<double>(settings.measure.block_ns) / 1e9;
  const auto rounds =
      static_cast<unsigned>(std::max<std::int64_t>(1, (settings.measure.block_ns + slice_ns - 1) / slice_ns));
  for (unsigned round = 0; !racers.empty(); ++round) {
    const double due = block_seconds * std::min(1.0, static_cast<double>(round + 1) / rounds);
    if (round >= rounds && std::none_of(racers.begin(), racers.end(), [&](const Racer& racer) {
          return racer.life->measured_seconds() < 0.95 * block_seconds;
        }))
      return;
    if (round > 0) shuffle(racers, random);
    each(racers, [&](Racer& racer) {
      if (racer.life->measured_seconds() < due) racer.life->slice(std::min(slice_ns, settings.measure.block_ns));
    });
  }
}

// Adds the counts of a life. Once not told is not told for good: a part of the blocks would stand for all.
void add_counts(const Json& counts, std::map<std::string, report::RoleCounts>& roles) {
  for (const auto& [side, told] : counts.items()) {
    const bool first = !roles.contains(side);
    report::RoleCounts& sum = roles[side];
    const auto add = [&, &told = told](const char* field, std::optional<std::uint64_t>& kept) {
      const Json& value = told.at(field);
      if (first) kept = 0;
      if (value.is_null()) kept.reset();
      if (kept) *kept += value.get<std::uint64_t>();
    };
    add("records_in", sum.records_in);
    add("records_out", sum.records_out);
    add("reads", sum.reads);
    add("writes", sum.writes);
    add("bytes_in", sum.bytes_in);
    add("bytes_out", sum.bytes_out);
    sum.warmup_operations += told.at("warmup_operations").get<std::uint64_t>();
    sum.operations += told.at("operations").get<std::uint64_t>();
  }
}

void take_block(Racer& racer, double steal) {
  report::Block block = racer.life->take_block();
  if (block.operations == 0)
    throw ArmFailure(false, "short_count",
                     "no operation came to its end within a block: lengthen measure.block, or ask for smaller messages "
                     "or batches");
  block.order = racer.order;
  block.steal = steal;
  if (steal > 0.01) block.flags.push_back("steal");
  if (racer.life->late_seconds() > 0.01 * block.seconds) block.flags.push_back("late");
  report::Proof& proof = racer.contender->arm->proof;
  add_counts(racer.life->counts(), proof.roles);
  if (const auto tickets = racer.life->tickets()) {
    proof.tickets = proof.tickets.value_or(0) + *tickets;
    proof.source["tickets"] = "library";
  }
  racer.contender->arm->blocks.push_back(std::move(block));
}

// Processors for every racer, or for none: an arm that is left to the system beside one that is not would differ by
// that.
void place(const std::vector<Racer>& racers, std::uint64_t seed) {
  const std::vector<unsigned> allowed = measure::allowed_processors();
  bool all = true;
  for (const Racer& racer : racers) {
    LifePlan& life = racer.contender->life;
    life.processors.clear();
    if (!life.in_process) life.processors = processors_of(life.arm->settings, allowed, seed);
    all = all && !life.processors.empty();
  }
  if (all) return;
  for (const Racer& racer : racers) racer.contender->life.processors.clear();
}

}  // namespace

void record_failure(const ArmFailure& failure, report::Arm& arm) {
  arm.status = failure.unsupported ? report::Status::unsupported : report::Status::failed;
  arm.reason = failure.what();
  if (!failure.unsupported) ++arm.proof.errors[failure.kind];
}

void run_block(std::vector<Contender>& contenders, std::uint64_t seed, Interruption& interruption) {
  std::mt19937_64 random(seed);
  std::vector<Racer> racers;
  for (auto& contender : contenders) {
    if (!contender.in_race()) continue;
    contender.life.placement_seed = seed;
    racers.push_back({&contender, nullptr});
  }
  place(racers, seed);
  // All at once, so that they load side by side.
  each(racers, [&](Racer& racer) { racer.life = std::make_unique<ArmLife>(racer.contender->life, interruption); });
  shuffle(racers, random);
  for (unsigned i = 0; i < racers.size(); ++i) racers[i].order = i;
  each(racers, start);
  const ProcessorTicks before = read_ticks();
  alternate(racers, random);
  const ProcessorTicks after = read_ticks();
  const double steal = after.all > before.all ? (after.stolen - before.stolen) / (after.all - before.all) : 0;
  each(racers, [&](Racer& racer) {
    racer.life->finish();
    take_block(racer, steal);
  });
}

}  // namespace tlsrig::rig
