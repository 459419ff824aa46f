// Which processors a process may run on.
#pragma once

#include <span>
#include <vector>

namespace tlsrig::measure {

// Numbers of the processors that the calling thread may run on, ascending (sched_getaffinity). Empty where the kernel
// does not tell.
std::vector<unsigned> allowed_processors();

// Confines the calling thread, and those that it starts from now on, to these. False when the kernel refuses; then
// nothing has changed.
bool run_on(std::span<const unsigned> processors);

}  // namespace tlsrig::measure
