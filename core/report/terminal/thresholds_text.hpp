// The thresholds of the terminal report.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/words/thresholds.hpp>

namespace tlsrig::report {

// The section of the terminal report: those that are not held, those not judged, and those held, of which many are
// counted only unless everything was asked for. Empty without thresholds.
std::string thresholds_text(const Result& result, const TextOptions& options);

}  // namespace tlsrig::report
