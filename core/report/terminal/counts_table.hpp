// What one operation costs on the wire and in system calls, by arm and side: a table for those who ask for everything.
#pragma once

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/terminal/table.hpp>

namespace tlsrig::report {

// A row per side of each arm with numbers, in the order of the cell's own table. Without rows when nothing was counted.
Table counts_table(const Cell& cell);

}  // namespace tlsrig::report
