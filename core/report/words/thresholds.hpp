// Thresholds in words.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// "echo/message_size=1KiB: openssl: ratio of throughput: low > 0.95 is not held: 0.912" or "... is not judged: REASON".
std::string threshold_sentence(const Threshold& threshold);

// The judged end with its unit, as its kind has it: "0.912", "1.8 ms", "49.8 kop/s", "512 MiB/s"; empty when there is
// none.
std::string threshold_value(const Threshold& threshold);

}  // namespace tlsrig::report
