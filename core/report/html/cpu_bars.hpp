// Whose processor time it is: a bar per arm and side, user and system time apart.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report::html {

// A bar is as long as the median over the blocks, the metric that the tables print; it is split
// into user and system as their totals over all blocks are. Empty when no arm has CPU times.
std::string cpu_bars(const Cell& cell);

}  // namespace tlsrig::report::html
