// The engine workload: both sides in one process, without sockets: what a library's own code costs.
#pragma once

#include <memory>

#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

// Throws StepError for settings that the engine does not offer.
std::unique_ptr<Participant> make_engine(const Assignment& assignment);

}  // namespace tlsrig::workloads
