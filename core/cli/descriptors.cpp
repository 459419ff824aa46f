// How many descriptors a plan needs, and the limit raised to that.
#include <tlsrig/cli/descriptors.hpp>

#include <sys/resource.h>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::cli {

namespace {

// What a process needs beside the sockets of its connections: standard streams, control socket, listener, epoll and
// timer descriptors of each thread, files that a library opens; in the rig, sockets and files of every worker.
constexpr rlim_t reserve = 48;
constexpr rlim_t per_thread = 3;
constexpr rlim_t per_arm = 12;

rlim_t need_of(const scenario::ScenarioPlan& plan, bool in_process) {
  rlim_t need = 0;
  for (const auto& cell : plan.cells) {
    rlim_t worker = 0;
    for (const auto& arm : cell.arms) {
      if (arm.settings.workload == scenario::Workload::engine) continue;
      const auto& traffic = arm.settings.traffic;
      // Each leg of a connection has two ends. A process holds one, a relay two, and in one process are all.
      const bool relayed = arm.settings.relay.present;
      const rlim_t ends = in_process ? (relayed ? 4 : 2) : (relayed ? 2 : 1);
      const rlim_t roles = in_process ? scenario::roles_of(arm.settings).size() : 1;
      worker = std::max<rlim_t>(worker, ends * traffic.connections + roles * per_thread * traffic.threads);
    }
    need = std::max({need, worker + reserve, per_arm * cell.arms.size() + reserve});
  }
  return need;
}

}  // namespace

void ensure_descriptors(const std::vector<scenario::ScenarioPlan>& plans, bool in_process) {
  rlim_t need = 0;
  for (const auto& plan : plans) need = std::max(need, need_of(plan, in_process));
  ensure_descriptors(need, "this plan", " or ask for fewer connections");
}

void ensure_descriptors(std::uint64_t need, const std::string& who, const std::string& otherwise) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need) return;
  if (limit.rlim_max < need)
    throw Unusable(
        fmt::format("{} needs {} descriptors in one process, the limit is {} (hard {}): raise it with "
                    "`ulimit -n {}`{}",
                    who, need, limit.rlim_cur, limit.rlim_max, need, otherwise));
  limit.rlim_cur = need;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tlsrig::cli
