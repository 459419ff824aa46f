// Whether a result's numbers are those that its own blocks give.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::judge {

// Computes every metric, comparison and threshold again from the blocks of their arms and compares: a file in which
// they differ by more than rounding was changed by hand, and whatever it says is nobody's measurement. Throws
// report::UnreadableResult with `name` (the file), the cell, the arm, and both numbers. Changed blocks that still fit
// are not found out: this is against mistakes, no seal.
void require_consistent(const report::Result& result, const std::string& name);

}  // namespace tlsrig::judge
