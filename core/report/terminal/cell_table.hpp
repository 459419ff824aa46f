// One cell as a table: which arm stands where, and what its columns say.
#pragma once

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/terminal/table.hpp>

namespace tlsrig::report {

Table cell_table(const Result& result, const Cell& cell);

}  // namespace tlsrig::report
