// What is to be known of the machine that a run was made on.
#pragma once

#include <nlohmann/json.hpp>

namespace tlsrig::rig {

// Processor, kernel, C library, limits, TCP settings, load. What cannot be read is null. Probes how copies behave,
// which takes about 50 ms.
nlohmann::ordered_json machine_record();

}  // namespace tlsrig::rig
