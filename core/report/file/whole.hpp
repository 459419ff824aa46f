// What the parts of a result that was read say of each other.
#pragma once

#include <tlsrig/report/file/place.hpp>
#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// Nothing has the name of another thing of its kind, and runs that are named are there. Throws UnreadableResult.
void require_whole(const Result& result);

// The self-checks of the document repeat what the result's comparisons say. Throws UnreadableResult.
void require_self_checks(const Place& document, const Result& result);

}  // namespace tlsrig::report
