// The worker's side of a run: a process, or a thread of one, that plays one role of one arm for one block, step by
// step.
#pragma once

#include <tlsrig/rig/channel.hpp>
#include <tlsrig/rig/loaded_backends.hpp>

namespace tlsrig::rig {

// What a worker tells of a backend that it has loaded.
Json describe(const host::Backend& backend);

// Answers the rig's requests on control_fd until "end" or until the rig is gone. Returns the process's exit status.
// A request is {"do": STEP, ...}; its answer {"done": STEP, ...}, {"failed": STEP, "kind": ..., "reason": ...} or
// {"unsupported": STEP, "reason": ...}.
int run_worker(int control_fd);

// The same on a thread of a process that plays other roles too. CPU time is this thread's, or null when the role has
// more threads than one.
void run_worker_thread(int control_fd, LoadedBackends& loaded);

}  // namespace tlsrig::rig
