// Doing jobs: in children, several at a time; or one after the other in this process, for a debugger.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tlsrig/check/trial/job.hpp>

namespace tlsrig::check {

// A job that is done: its finding whole, and what its work told beside.
struct Done {
  Finding finding;
  Json more;
  double cpu_seconds = 0;
};

struct Pacing {
  unsigned at_once = 1;  // children that run side by side
  // CLOCK_MONOTONIC: no child starts after it; on a machine with more to do than processors, after the later one.
  std::int64_t deadline_ns = 0, late_deadline_ns = 0;
};

// One Done per job, in the order of the jobs; those that the deadline left over are FAIL and not_run. finished: called
// as each is done, in the order in which they end.
std::vector<Done> do_in_children(std::vector<Job> jobs, const Pacing& pacing, const Limits& limits,
                                 const std::function<void(const Finding&)>& finished);

// Without children, deadlines and fault reports: a crash is the debugger's. Plugins are loaded once.
class Workbench {
 public:
  Workbench() : trace_(ring_), here_(trace_) {}
  Done do_here(const Job& job);

 private:
  CallRing ring_;
  CallTrace trace_;
  Workplace here_;
};

}  // namespace tlsrig::check
