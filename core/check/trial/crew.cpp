// Doing jobs side by side.
#include <tlsrig/check/trial/crew.hpp>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/processors.hpp>

namespace tlsrig::check {

namespace {

constexpr int look_again_ms = 5;
constexpr std::size_t calls_shown = 40, shown_behind = 3;

bool tidies_up(const TracedCall& call) {
  const std::string_view slot = call.slot;
  return slot == "close" || slot == "destroy_context";
}

// The call that did not come back; else the latest one of those that the words name ("client read() ..."); else the
// latest, but for those by which a failed step tidies up behind itself.
std::size_t decisive(const std::vector<TracedCall>& calls, const std::string& words) {
  std::size_t named = calls.size(), latest = calls.size() - 1, first = words.npos;
  bool any = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].came_back()) return i;
    const std::size_t at = *calls[i].who ? words.find(fmt::format("{} {}", calls[i].who, calls[i].slot)) : words.npos;
    if (at != words.npos && at <= first) {
      named = i;
      first = at;
    }
    if (!tidies_up(calls[i]) || !any) latest = i;
    any |= !tidies_up(calls[i]);
  }
  return named < calls.size() ? named : latest;
}

// Those up to the decisive call, and a few behind it.
std::vector<TracedCall> shown(const std::vector<TracedCall>& calls, std::size_t decisive) {
  const std::size_t end = std::min(calls.size(), decisive + 1 + shown_behind);
  const std::size_t begin = end - std::min(end, calls_shown);
  return {calls.begin() + std::ptrdiff_t(begin), calls.begin() + std::ptrdiff_t(end)};
}

std::string place_of(const TracedCall& call, const Finding& finding) {
  if (finding.transport.empty()) return name_of(call);
  const std::string version = finding.version == "none" ? "plain" : "TLS " + finding.version;
  return fmt::format("{} ({}, {})", name_of(call), version, finding.transport);
}

// What ends or holds up the process breaks another rule than the one that the step is about.
void tell_rule_of_process(Finding& finding, bool at_exit) {
  if (!finding.outcome.law.empty()) return;  // it has told its own
  if (at_exit && finding.outcome.verdict == Verdict::hang) {
    finding.law = "a program that used the plugin ends: exit handlers return";
    finding.cure = "let no exit handler, and no destructor of a static object, wait for a thread or take a lock";
  } else if (finding.outcome.verdict == Verdict::crash) {
    finding.law = "a plugin never ends the process: no signal, no exception out of a slot, whatever a call is given";
    finding.cure = "repeat it under gdb (gdb --args, then the command below), or give the offset to addr2line -e FILE";
  } else if (finding.outcome.verdict == Verdict::exit) {
    finding.law = "a plugin never ends the process";
    finding.cure = "answer ERROR with a text instead, and set the library's own handlers for fatal errors to do so";
  } else if (finding.outcome.verdict == Verdict::hang) {
    finding.law = "law 8: no call blocks; start has 10 s";
    finding.cure =
        "answer WANT_READ or WANT_WRITE instead of waiting; take no lock that another session may hold; see "
        "where it stands with gdb on the command below, interrupted";
  }
}

// The rule is then the peer's to keep.
void tell_peer(Finding& finding, const Peer& peer, const std::string& plugin_at_fault) {
  std::error_code failed;
  if (peer.name.empty() || plugin_at_fault.empty() ||
      !std::filesystem::equivalent(peer.plugin, plugin_at_fault, failed))
    return;
  finding.outcome.words = fmt::format("the peer {}: {}", peer.name, finding.outcome.words);
  finding.cure = fmt::format(
      "judge the peer by itself (tlsrig check {}); if it is sound, what this plugin sends is more "
      "than it stands, or its memory was damaged",
      peer.name);
}

Done done(const Job& job, Ended ended) {
  Finding finding = job.finding;
  finding.outcome = std::move(ended.outcome);
  if (!finding.outcome.law.empty()) finding.law = finding.outcome.law;
  if (!finding.outcome.cure.empty()) finding.cure = finding.outcome.cure;
  finding.output = std::move(ended.output);
  finding.seconds = ended.seconds;
  if (!ended.calls.empty()) {
    const std::size_t call = decisive(ended.calls, finding.outcome.words);
    finding.where = ended.at_exit ? "an exit handler" : place_of(ended.calls[call], finding);
    finding.calls = shown(ended.calls, call);
  }
  tell_rule_of_process(finding, ended.at_exit);
  tell_peer(finding, job.peer, ended.plugin_at_fault);
  return {std::move(finding), std::move(ended.more), ended.cpu_seconds};
}

Done left_over(Finding finding) {
  finding.outcome = {Verdict::fail, "not run: the time of the whole check was over",
                     "a whole check has 120 s, three times as long on a machine with more to do than processors",
                     "repeat the check on a quieter machine, or what is left over by --step"};
  finding.not_run = true;
  return {std::move(finding), {}, 0};
}

bool is_over(const Pacing& pacing) {
  const std::int64_t now_ns = measure::now_ns();
  if (now_ns <= pacing.deadline_ns) return false;
  const double busy = double(measure::allowed_processors().size() + pacing.at_once);
  double load = 0;
  return now_ns > pacing.late_deadline_ns || ::getloadavg(&load, 1) != 1 || load < busy;
}

using Children = std::map<std::size_t, std::unique_ptr<Child>>;  // by the number of their job

// Processes of an ended child that have gone out of its group come to this one, which has asked for them; they are
// ended here, and theirs, which come then. Whether there were any: how many is a matter of the moment.
bool end_strays(const Children& children) {
  bool any = false;
  for (bool more = true; more;) {
    more = false;
    std::ifstream stream(fmt::format("/proc/self/task/{}/children", ::gettid()));
    for (pid_t process = 0; stream >> process;) {
      if (std::ranges::any_of(children, [&](const auto& child) { return child.second->pid() == process; })) continue;
      if (::kill(process, SIGKILL) != 0) continue;  // another user's by now: it would be waited for in vain
      ::waitpid(process, nullptr, 0);
      any = more = true;
    }
  }
  return any;
}

void tell_strays(Finding& finding) {
  if (is_fault(finding.outcome.verdict)) return;
  finding.outcome = {Verdict::warn, "left a process of its own behind, out of its process group; killed"};
  finding.law = "a plugin is a guest of the process that loads it";
  finding.cure = "start no process, or end it with the plugin";
}

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
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto settle = [&](std::size_t number, Done what) {
    all[number] = std::move(what);
    finished(all[number].finding);
  };
  while (next < jobs.size() || !children.empty()) {
    for (; next < jobs.size() && children.size() < pacing.at_once; ++next) {
      Job& job = jobs[next];
      if (is_over(pacing)) {
        settle(next, left_over(std::move(job.finding)));
        continue;
      }
      const Work work = [&job](host::CallLog& log) {
        Workplace here(log);
        return job.work(here);
      };
      Limits left = limits;
      left.step = std::min(left.step, double(pacing.late_deadline_ns - measure::now_ns()) / 1e9 + 1);
      children.emplace(next, std::make_unique<Child>(work, job.leaves, left));
    }
    if (!children.empty()) wait_for(children);
    for (auto child = children.begin(); child != children.end();) {
      auto ended = child->second->look();
      if (ended) {
        Done what = done(jobs[child->first], std::move(*ended));
        const std::size_t number = child->first;
        child = children.erase(child);
        if (end_strays(children)) tell_strays(what.finding);
        settle(number, std::move(what));
      } else {
        ++child;
      }
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
  ended.calls = latest_calls(ring_);
  ended.seconds = double(measure::now_ns() - begun_ns) / 1e9;
  return done(job, std::move(ended));
}

}  // namespace tlsrig::check
