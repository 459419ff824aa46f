// The course of a check.
#include <tlsrig/check/trial/check_plugin.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/check/bench/settings.hpp>
#include <tlsrig/check/steps/static_steps.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/processors.hpp>

namespace tlsrig::check {

namespace {

constexpr const char* first_step = "conversation";

class Course {
 public:
  Course(const CheckOptions& options, const std::function<void(const CheckProgress&)>& progress)
      : options_(options),
        progress_(progress),
        begun_ns_(measure::now_ns()),
        deadline_ns_(begun_ns_ + std::int64_t(options.seconds_max * 1e9)),
        late_deadline_ns_(begun_ns_ + std::int64_t(3 * options.seconds_max * 1e9)) {
    judged_.plugin = {{"path", options.plugin.string()}};
  }

  Judged run() {
    if (inspect_file() && start()) {
      setup_ = setup_without_backend(protocols_, options_.seed);
      for (const Combination& over : over_) run_steps(over);
      end_orderly();
      run_peers();
    }
    judged_.seconds = double(measure::now_ns() - begun_ns_) / 1e9;
    return std::move(judged_);
  }

 private:
  bool wanted(const Finding& finding) const {
    return options_.steps.empty() ||
           std::ranges::any_of(options_.steps, [&](const std::string& name) { return stands_for(name, finding); });
  }

  void keep(Finding finding) { judged_.findings.push_back(std::move(finding)); }

  // Whether the plugin may be loaded.
  bool inspect_file() {
    for (const FileStep& step : file_steps()) {
      Finding finding;
      finding.step = step.name;
      finding.law = step.law;
      finding.cure = step.cure;
      const std::int64_t begun_ns = measure::now_ns();
      finding.outcome = step.run(options_.plugin);
      finding.seconds = double(measure::now_ns() - begun_ns) / 1e9;
      const bool decisive = step.decisive && is_fault(finding.outcome.verdict);
      if (decisive || wanted(finding)) keep(std::move(finding));
      if (decisive) return judged_.loadable = false;
    }
    return true;
  }

  // Loading and starting are one piece of work, told apart by the calls that were made.
  bool start() {
    Done done = std::move(run_all({description_job(options_.plugin)}, 1).front());
    Finding load;
    load.step = "load";
    load.law =
        "the loader takes the plugin with all its symbols, and its table has this contract's number, size and "
        "every slot";
    load.cure = "see what the message names; `ldd -r` shows symbols that are missing";
    const bool begun = std::ranges::any_of(
        done.finding.calls, [](const TracedCall& call) { return std::string_view(call.slot) == "start"; });
    if (!begun) {
      judged_.loadable = done.finding.outcome.verdict != Verdict::fail;
      if (!judged_.loadable) std::tie(done.finding.law, done.finding.cure) = std::tie(load.law, load.cure);
      done.finding.step = load.step;
      keep(std::move(done.finding));
      return false;
    }
    if (wanted(load)) keep(std::move(load));
    if (!is_fault(done.finding.outcome.verdict)) take_description(done);
    const bool started = !is_fault(done.finding.outcome.verdict);
    if (!started || wanted(done.finding)) keep(std::move(done.finding));
    if (!started) return false;
    for (Finding& finding : findings_of_description(options_.plugin, judged_.plugin))
      if (wanted(finding)) keep(std::move(finding));
    return true;
  }

  void take_description(Done& start) {
    protocols_ = start.more.at("protocols");
    over_ = combinations(start.more.at("transports"), protocols_);
    judged_.plugin.update(start.more);
    tell_what_is_offered();
    at_once_ = children_at_once(start);
    if (over_.empty())
      start.finding.outcome = {Verdict::fail,
                               fmt::format("its info says protocols {}: set TLSRIG_TLS_1_2, TLSRIG_TLS_1_3, "
                                           "both, or 0 for none",
                                           protocols_)};
  }

  // In words, in the place of bits.
  void tell_what_is_offered() {
    std::set<std::string> versions, transports;
    for (const Combination& over : over_) {
      versions.insert(over.version_word());
      transports.insert(over.transport_word());
    }
    judged_.plugin.erase("protocols");
    judged_.plugin["versions"] = versions;
    judged_.plugin["transports"] = transports;
  }

  // As many as there are processors; more of a plugin that spends its start waiting.
  static unsigned children_at_once(const Done& start) {
    const double processors = double(measure::allowed_processors().size());
    const double waiting = start.finding.seconds < 0.2 ? 1 : start.finding.seconds / std::max(start.cpu_seconds, 0.01);
    return unsigned(std::lround(std::clamp(processors * std::clamp(waiting, 1.0, 16.0), 2.0, 32.0)));
  }

  void end_orderly() {
    const auto& over = options_.steps.empty() ? conversing_ : over_;
    if (over.empty()) return leave_out("orderly-exit", conversation_first());
    Job job = orderly_exit_job(options_.plugin, setup_, over.front());
    if (!wanted(job.finding)) return;
    keep(std::move(run_all({std::move(job)}, 1).front().finding));
  }

  void run_steps(const Combination& over) {
    std::vector<Job> jobs;
    for (const Step& step : steps()) {
      Job job = step_job(options_.plugin, step, setup_, over);
      if (wanted(job.finding)) jobs.push_back(std::move(job));
    }
    if (jobs.empty()) return;
    if (jobs.front().finding.step == first_step && jobs.size() > 1) {
      Finding first = std::move(run_all({std::exchange(jobs.front(), {})}, 1).front().finding);
      jobs.erase(jobs.begin());
      const bool converses = !is_fault(first.outcome.verdict);
      keep(std::move(first));
      if (!converses && options_.steps.empty()) return leave_out(jobs);
    }
    conversing_.push_back(over);
    for (Done& done : run_all(std::move(jobs), at_once_)) keep(std::move(done.finding));
  }

  void leave_out(std::vector<Job>& jobs) {
    for (Job& job : jobs) {
      job.finding.outcome = {Verdict::skip, conversation_first()};
      job.finding.not_run = true;
      keep(std::move(job.finding));
    }
  }

  void run_peers() {
    std::vector<Job> jobs;
    if (protocols_ == 0)
      return leave_out("interop", "not TLS: there is nothing to agree on with other backends", false);
    if (options_.peers.empty())
      return leave_out("interop", "no other backend was found: name its directory with -B", false);
    if (conversing_.empty() && options_.steps.empty()) return leave_out("interop", conversation_first());
    for (const Peer& peer : options_.peers)
      for (const Combination& over : options_.steps.empty() ? conversing_ : over_) {
        Job job = interop_job(options_.plugin, peer, setup_, over);
        if (wanted(job.finding)) jobs.push_back(std::move(job));
      }
    for (Done& done : run_all(std::move(jobs), at_once_)) keep(std::move(done.finding));
  }

  static std::string conversation_first() { return fmt::format("not run: {} must pass first", first_step); }

  void leave_out(const char* step, const std::string& reason, bool not_run = true) {
    Finding finding;
    finding.step = step;
    finding.outcome = {Verdict::skip, reason};
    finding.not_run = not_run;
    if (wanted(finding)) keep(std::move(finding));
  }

  std::vector<Done> run_all(std::vector<Job> jobs, unsigned at_once) {
    const auto tell = [&](const Finding& finding) { progress_({++done_, expected(), finding.name()}); };
    if (!options_.in_process)
      return do_in_children(std::move(jobs), {at_once, deadline_ns_, late_deadline_ns_}, options_.limits, tell);
    std::vector<Done> all;
    for (const Job& job : jobs) {
      all.push_back(workbench_.do_here(job));
      tell(all.back().finding);
    }
    return all;
  }

  // Children of the whole check; before the plugin has told what it offers, those of one combination.
  std::size_t expected() const {
    const std::size_t combinations = std::max<std::size_t>(over_.size(), 1);
    const std::size_t all = 2 + combinations * (steps().size() + options_.peers.size());
    return options_.steps.empty() ? std::max(all, done_) : done_;
  }

  const CheckOptions& options_;
  const std::function<void(const CheckProgress&)>& progress_;
  std::int64_t begun_ns_, deadline_ns_, late_deadline_ns_;
  Judged judged_;
  Setup setup_;
  std::uint32_t protocols_ = 0;
  std::vector<Combination> over_, conversing_;  // all that is offered; those whose first step held
  unsigned at_once_ = 1;
  std::size_t done_ = 0;
  Workbench workbench_;
};

// "", "/wire" or "/wire/1.3": what may stand behind the name of a step that is run over transports and versions.
bool is_combination(std::string_view tail) {
  if (tail.empty()) return true;
  for (const Combination& over : combinations(TLSRIG_WIRE | TLSRIG_FD, TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3)) {
    const std::string transport = "/" + over.transport_word();
    if (tail == transport || tail == transport + "/" + over.version_word() || tail == transport + "/none") return true;
  }
  return false;
}

bool is_step_of(const CheckOptions& options, std::string_view name) {
  for (const Peer& peer : options.peers) {
    const std::string step = "interop/" + peer.name;
    if (name.starts_with(step) && is_combination(name.substr(step.size()))) return true;
  }
  const auto slash = std::min(name.find('/'), name.size());
  const std::string_view head = name.substr(0, slash);
  if (std::ranges::find(steps(), head, &Step::name) != steps().end()) return is_combination(name.substr(slash));
  const std::vector<std::string> names = step_names();
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

// "pieces-of-1" stands for the step over all that is offered, "pieces-of-1/wire" over a transport, and
// "pieces-of-1/wire/1.3" and "load" for one.
bool stands_for(const std::string& name, const Finding& finding) {
  const std::string whole = finding.name();
  return whole.starts_with(name) && (whole.size() == name.size() || whole[name.size()] == '/');
}

std::vector<std::string> step_names() {
  std::vector<std::string> names;
  for (const FileStep& step : file_steps()) names.push_back(step.name);
  names.insert(names.end(), {"load", "start", "name", "anchors", "orderly-exit", "interop"});
  for (const Step& step : steps()) names.push_back(step.name);
  return names;
}

Judged check_plugin(const CheckOptions& options, const std::function<void(const CheckProgress&)>& progress) {
  for (const std::string& name : options.steps)
    if (!is_step_of(options, name)) throw UnknownStep(name);
  return Course(options, progress).run();
}

}  // namespace tlsrig::check
