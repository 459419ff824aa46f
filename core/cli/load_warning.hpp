// Whether other work than the run's own keeps the machine busy.
#pragma once

#include <string>
#include <string_view>

namespace tlsrig::cli {

// loadavg: the line of /proc/loadavg, in which this process counts as running. A sentence with the figures when the
// load average or the processes that run besides are more than there are processors; else empty, as for a text that is
// none.
std::string load_warning(std::string_view loadavg, unsigned processors);

// The same of this machine, now.
std::string load_warning();

}  // namespace tlsrig::cli
