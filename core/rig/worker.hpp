// The worker's side of a run: a process that plays one role of one arm for one block, step by step.
#pragma once

namespace tlsrig::rig {

// Answers the rig's requests on control_fd until "end" or until the rig is gone. Returns the process's exit status.
// A request is {"do": STEP, ...}; its answer {"done": STEP, ...}, {"failed": STEP, "kind": ..., "reason": ...} or
// {"unsupported": STEP, "reason": ...}.
int run_worker(int control_fd);

}  // namespace tlsrig::rig
