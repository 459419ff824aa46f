// Times as people say them.
#pragma once

#include <string>

#include <tlsrig/rig/pace.hpp>

namespace tlsrig::cli {

// "42 s", "4 min 20 s".
std::string exact_time(double seconds);

// As exact as a forecast is: "2 to 5 min", "40 s to 3 min", "about 90 s", "up to 5 min".
std::string forecast(const rig::Span& span);

}  // namespace tlsrig::cli
