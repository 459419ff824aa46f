// Doing jobs side by side.
#include <tlsrig/check/trial/crew.hpp>

#include <poll.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/measure/clock.hpp>

namespace tlsrig::check {

namespace {

constexpr int look_again_ms = 5;
constexpr std::size_t calls_shown = 40;

// The call that did not come back; else the latest one, but for those by which a failed step tidies up behind itself.
const TracedCall& decisive(const std::vector<TracedCall>& calls) {
  const auto open = std::ranges::find_if(calls, [](const TracedCall& call) { return !call.came_back(); });
  if (open != calls.end()) return *open;
  const auto latest = std::find_if(calls.rbegin(), calls.rend(), [](const TracedCall& call) {
    const std::string_view slot = call.slot;
    return slot != "close" && slot != "destroy_context";
  });
  return latest == calls.rend() ? calls.back() : *latest;
}

std::string where(const Finding& finding) {
  if (finding.calls.empty()) return {};
  const std::string call = name_of(decisive(finding.calls));
  if (finding.transport.empty()) return call;
  const std::string version = finding.version == "none" ? "plain" : "TLS " + finding.version;
  return fmt::format("{} ({}, {})", call, version, finding.transport);
}

Done done(Finding finding, Ended ended) {
  finding.outcome = std::move(ended.outcome);
  finding.calls = std::move(ended.calls);
  finding.output = std::move(ended.output);
  finding.seconds = ended.seconds;
  finding.where = where(finding);
  return {std::move(finding), std::move(ended.more), ended.cpu_seconds};
}

Done left_over(Finding finding) {
  finding.outcome = {Verdict::skip, "not run: the time of the whole check was over"};
  finding.not_run = true;
  return {std::move(finding), {}, 0};
}

using Children = std::map<std::size_t, std::unique_ptr<Child>>;  // by the number of their job

// Returns when one of them has something to say, or after a short time.
void wait_for(const Children& children) {
  std::vector<pollfd> waited;
  for (const auto& [number, child] : children) {
    waited.push_back({child->message_fd(), POLLIN, 0});
    waited.push_back({child->output_fd(), POLLIN, 0});
  }
  ::poll(waited.data(), waited.size(), look_again_ms);
}

}  // namespace

std::vector<Done> do_in_children(std::vector<Job> jobs, const Pacing& pacing, const Limits& limits,
                                 const std::function<void(const Finding&)>& finished) {
  std::vector<Done> all(jobs.size());
  Children children;
  std::size_t next = 0;
  const auto settle = [&](std::size_t number, Done what) {
    all[number] = std::move(what);
    finished(all[number].finding);
  };
  while (next < jobs.size() || !children.empty()) {
    for (; next < jobs.size() && children.size() < pacing.at_once; ++next) {
      Job& job = jobs[next];
      if (measure::now_ns() > pacing.deadline_ns) {
        settle(next, left_over(std::move(job.finding)));
        continue;
      }
      const Work work = [&job](host::CallLog& log) {
        Workplace here(log);
        return job.work(here);
      };
      children.emplace(next, std::make_unique<Child>(work, job.leaves, limits));
    }
    if (!children.empty()) wait_for(children);
    for (auto child = children.begin(); child != children.end();) {
      auto ended = child->second->look();
      if (ended) settle(child->first, done(std::move(jobs[child->first].finding), std::move(*ended)));
      child = ended ? children.erase(child) : std::next(child);
    }
  }
  return all;
}

Done Workbench::do_here(const Job& job) {
  const std::int64_t begun_ns = measure::now_ns();
  ring_.clear();
  const Told told = told_by([&](host::CallLog&) { return job.work(here_); }, trace_);
  Ended ended;
  ended.outcome = told.outcome;
  ended.more = told.more;
  ended.calls = latest_calls(ring_, calls_shown);
  ended.seconds = double(measure::now_ns() - begun_ns) / 1e9;
  return done(job.finding, std::move(ended));
}

}  // namespace tlsrig::check
