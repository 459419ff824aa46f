// What the threads of another process are doing.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace tlsrig::measure {

// Whether a thread of the process runs or is ready to (proc(5), state R). CPU time does not tell: on a machine with
// more to do than processors a busy thread may get none for a while.
bool any_thread_runs(pid_t process);

// Sends a signal to each of its threads, to the first one first.
void signal_threads(pid_t process, int signal);

// CPU time of all threads of the process since its start, in nanoseconds; 0 when it is gone.
std::int64_t process_cpu_ns(pid_t process) noexcept;

}  // namespace tlsrig::measure
