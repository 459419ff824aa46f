// Which workloads there are, and making their participants.
#include <tlsrig/workloads/participant.hpp>

#include <system_error>

#include <fmt/format.h>

#include <tlsrig/scenario/keys.hpp>
#include <tlsrig/workloads/echo/echo.hpp>
#include <tlsrig/workloads/engine/engine.hpp>
#include <tlsrig/workloads/relay/relay.hpp>
#include <tlsrig/workloads/stream/stream.hpp>

namespace tlsrig::workloads {

namespace {

[[noreturn]] void refuse(scenario::Workload workload) {
  throw StepError("config", fmt::format("the workload \"{}\" is not offered", scenario::workload_name(workload)));
}

// Failed system calls, thrown as std::system_error below, become what the interface promises.
template <class Step>
auto guard(const char* step, Step&& run) {
  try {
    return run();
  } catch (const std::system_error& error) {
    throw StepError("system", fmt::format("{}: {}", step, error.what()));
  }
}

class Guarded final : public Participant {
 public:
  explicit Guarded(std::unique_ptr<Participant> participant) : participant_(std::move(participant)) {}

  Json prepare() override {
    return guard("prepare", [&] { return participant_->prepare(); });
  }
  Json connect(const Json& request) override {
    return guard("connect", [&] { return participant_->connect(request); });
  }
  Json warm_up(const Slice& interval) override {
    return guard("warm-up", [&] { return participant_->warm_up(interval); });
  }
  Json settle(std::uint64_t bytes_sent) override {
    return guard("settle", [&] { return participant_->settle(bytes_sent); });
  }
  SliceCount slice(const Slice& interval) override {
    return guard("slice", [&] { return participant_->slice(interval); });
  }
  Json finish() override {
    return guard("finish", [&] { return participant_->finish(); });
  }

 private:
  std::unique_ptr<Participant> participant_;
};

}  // namespace

Json Participant::settle(std::uint64_t) { return Json::object(); }

std::int64_t automatic_slice_ns(scenario::Workload workload) {
  if (workload == scenario::Workload::engine) return 10'000'000;
  if (workload == scenario::Workload::echo || scenario::is_one_way(workload)) return 20'000'000;
  refuse(workload);
}

std::unique_ptr<Participant> make_participant(const Assignment& assignment) {
  if (assignment.role == "relay") return std::make_unique<Guarded>(make_relay(assignment));
  switch (assignment.settings.workload) {
    case scenario::Workload::engine:
      return std::make_unique<Guarded>(make_engine(assignment));
    case scenario::Workload::echo:
      return std::make_unique<Guarded>(make_echo(assignment));
    case scenario::Workload::stream:
    case scenario::Workload::pipe:
      return std::make_unique<Guarded>(make_stream(assignment));
    default:
      refuse(assignment.settings.workload);
  }
}

}  // namespace tlsrig::workloads
